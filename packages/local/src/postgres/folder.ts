import { mkdir, readFile, realpath, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { errorCode, oneLine, StartFailure } from "../failure.ts";
import { commandLine, endProcess, fingerprint } from "../processes/identity.ts";

/** Ends a server that an earlier run left running on this folder. Returns whether there was one. */
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
    throw new StartFailure(
      `cannot stop the Postgres that an earlier start left running on ${dataDir} (process ${running.pid}).`,
    );
  return true;
}

/** Returns the server that is running on this folder, whoever started it. */
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
  // The pid now belongs to another process. Postgres would mistake it for a running server and refuse to start.
  await rm(lockFile, { force: true });
  return undefined;
}

/** Returns the folder's real path, so that every start has the same form of it in its command line. */
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
