import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { StartFailure } from "../failure.ts";
import { plainEnvironment, runToEnd } from "../processes/children.ts";

export interface SystemUser {
  uid: number;
  gid: number;
}

/**
 * Returns the system user that Postgres runs as. Postgres refuses to run as root, so for root this is the system user `postgres`, which is
 * created when missing. For anybody else it is undefined: Postgres runs as the same user.
 */
export async function postgresUser(): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const known = await lookUp();
  if (known) return known;
  await run("groupadd", ["--system", "postgres"]);
  await run("useradd", ["--system", "--gid", "postgres", "--no-create-home", "postgres"]);
  const made = await lookUp();
  if (made) return made;
  throw new StartFailure(
    "Postgres does not run as root and the system user postgres could not be made; start as an ordinary user.",
  );
}

/** Throws when Postgres' user may not enter one of the folders above its binaries or data; the message names the folder. */
export async function requireReachable(path: string, user: SystemUser | undefined): Promise<void> {
  if (!user) return;
  for (let folder = path; ; folder = dirname(folder)) {
    const info = await stat(folder).catch(() => undefined);
    if (info && !mayEnter(info, user)) {
      throw new StartFailure(
        `started as root, Postgres runs as the system user postgres, which may not enter ${folder}; ` +
          `allow it (chmod o+x ${folder}), move the project, or start as an ordinary user.`,
      );
    }
    if (folder === dirname(folder)) return;
  }
}

function mayEnter(info: { mode: number; uid: number; gid: number }, user: SystemUser): boolean {
  if (info.uid === user.uid) return (info.mode & 0o100) !== 0;
  if (info.gid === user.gid) return (info.mode & 0o010) !== 0;
  return (info.mode & 0o001) !== 0;
}

async function lookUp(): Promise<SystemUser | undefined> {
  const uid = Number.parseInt(await run("id", ["-u", "postgres"]), 10);
  const gid = Number.parseInt(await run("id", ["-g", "postgres"]), 10);
  return Number.isInteger(uid) && Number.isInteger(gid) ? { uid, gid } : undefined;
}

async function run(command: string, args: string[]): Promise<string> {
  try {
    const { code, output } = await runToEnd(command, args, { env: plainEnvironment() });
    return code === 0 ? output : "";
  } catch {
    return "";
  }
}
