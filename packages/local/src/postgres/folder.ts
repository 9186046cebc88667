import { mkdir, readFile, realpath, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { errorCode, oneLine, StartFailure } from "../failure.ts";
import { commandLine, fingerprint } from "../processes/identity.ts";

/** Returns the pid of the server that is running on this folder, whoever started it. */
export async function runningPostgres(dataDir: string): Promise<number | undefined> {
  const lockFile = join(dataDir, "postmaster.pid");
  const text = await readFile(lockFile, "utf8").catch(() => "");
  if (text === "") return undefined;
  const pid = Number.parseInt(text, 10);
  const command = fingerprint(pid) ? commandLine(pid) : "";
  if (command.includes("postgres") && command.includes(dataDir)) return pid;
  // Remove the lock file: Postgres mistakes any process with the pid in it, even its own zombie, for a running server and would not start.
  await rm(lockFile, { force: true });
  return undefined;
}

/** Returns the folder's real path. It is part of the command line of Postgres, by which `runningPostgres` recognizes the server. */
export async function canonicalFolder(folder: string): Promise<string> {
  const wanted = resolve(folder);
  try {
    await mkdir(dirname(wanted), { recursive: true, mode: 0o755 });
    return join(await realpath(dirname(wanted)), basename(wanted));
  } catch (error) {
    if (errorCode(error) === "ENOTDIR" || errorCode(error) === "EEXIST") {
      throw new StartFailure(`${dirname(wanted)} is not a folder.`);
    }
    throw new StartFailure(`cannot use the folder ${dirname(wanted)}: ${oneLine(error)}`);
  }
}
