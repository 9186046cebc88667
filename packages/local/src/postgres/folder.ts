import { mkdir, readFile, realpath, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { errorCode, oneLine, StartFailure } from "../failure.ts";
import { commandLine, endProcess, fingerprint } from "../processes/identity.ts";

/** Ends a server that an earlier run left behind on this folder. True when there was one. */
export async function clearPostgres(folder: string): Promise<boolean> {
  const dataDir = await canonicalFolder(folder);
  const running = await runningPostgres(dataDir);
  if (!running) return false;
  const gone = await endProcess(running.pid, running.started, [
    ["SIGINT", 5_000],
    ["SIGQUIT", 3_000],
    ["SIGKILL", 2_000],
  ]);
  if (!gone)
    throw new StartFailure(`cannot end the Postgres left behind on ${dataDir} (process ${running.pid}).`);
  return true;
}

/** The server that works on this folder at the moment, whoever started it. */
export async function runningPostgres(
  dataDir: string,
): Promise<{ pid: number; started: string } | undefined> {
  const lockFile = join(dataDir, "postmaster.pid");
  const text = await readFile(lockFile, "utf8").catch(() => "");
  const pid = Number.parseInt(text, 10);
  const started = fingerprint(pid);
  if (!started) return undefined;
  const command = commandLine(pid);
  if (command.includes("postgres") && command.includes(dataDir)) return { pid, started };
  // The pid went to somebody else's process; Postgres would take that one for a live server and refuse.
  await rm(lockFile, { force: true });
  return undefined;
}

/** The folder's one true path, so that a command line names it the same way on every start. */
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
