import { randomBytes } from "node:crypto";
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode, oneLine, StartFailure } from "../failure.ts";
import { plainEnvironment, runToEnd } from "../processes/children.ts";
import { postgresBinaries } from "./binaries.ts";
import { SUPERUSER } from "./roles.ts";
import type { SystemUser } from "./user.ts";

/** The file with the password of the cluster's roles. It is inside the cluster's folder, so that neither can be lost alone. */
const passwordFile = "keyhub_roles_password";

/**
 * Creates the cluster in `dataDir` unless it exists, and returns the password of its superuser, which all roles that log in share
 * (roles.ts). The folder appears by a rename, complete or not at all, so an interrupted initdb leaves no half cluster.
 */
export async function prepareCluster(dataDir: string, user: SystemUser | undefined): Promise<string> {
  if (await isEmpty(dataDir)) await createCluster(dataDir, user);
  const password = await readFile(join(dataDir, passwordFile), "utf8").catch((error) => {
    throw new StartFailure(`cannot read the database password in ${dataDir}: ${oneLine(error)}`);
  });
  return password.trim();
}

async function isEmpty(dataDir: string): Promise<boolean> {
  try {
    return (await readdir(dataDir)).length === 0;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return true;
    throw new StartFailure(`cannot read the database folder ${dataDir}: ${oneLine(error)}`);
  }
}

async function createCluster(dataDir: string, user: SystemUser | undefined): Promise<void> {
  const parent = dirname(dataDir);
  const suffix = randomBytes(4).toString("hex");
  const unfinished = join(parent, `.initdb-${suffix}`);
  const passwordSource = join(parent, `.initdb-${suffix}-password`);
  const password = randomBytes(24).toString("base64url");
  try {
    await mkdir(unfinished, { recursive: true, mode: 0o700 });
    await writeFile(passwordSource, `${password}\n`, { mode: 0o600 });
    if (user) {
      await chown(unfinished, user.uid, user.gid);
      await chown(passwordSource, user.uid, user.gid);
    }
    await initialise(unfinished, passwordSource, user);
    await rename(passwordSource, join(unfinished, passwordFile));
    await rename(unfinished, dataDir);
  } catch (error) {
    if (error instanceof StartFailure) throw error;
    throw new StartFailure(`cannot create the database folder ${dataDir}: ${oneLine(error)}`);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
    await rm(passwordSource, { force: true });
  }
}

async function initialise(dataDir: string, passwordSource: string, user: SystemUser | undefined) {
  const flags = [
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordSource}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    // The builtin provider sorts and folds case in the same way on every machine, whatever locales it has.
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    "--text-search-config=english",
  ];
  const { code, output } = await runToEnd(postgresBinaries().initdb, [`--pgdata=${dataDir}`, ...flags], {
    cwd: dataDir,
    env: { ...plainEnvironment(), LC_ALL: "C" },
    user,
  });
  if (code === 0) return;
  const reason = output.split("\n").find((line) => /error|fatal/i.test(line)) ?? output.slice(-300);
  throw new StartFailure(`initdb failed: ${oneLine(reason)}`);
}
