import { randomUUID } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { StartFailure } from "../failure.ts";
import { claimFile } from "./claim-file.ts";
import { commandLine, endProcess, fingerprint, processesWith } from "./identity.ts";

/** The content of running.json: a run of a stack, and its process. */
export interface RunRecord {
  id: string;
  url: string;
  pid: number;
  /** Identifies the process, because a later process may have the same pid (identity.ts). */
  fingerprint: string;
}

const fileName = "running.json";
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Every child has this environment variable, with the id of the run. By it, the next start finds the children of a killed run. */
export const runVariable = "KEYHUB_RUN";

/**
 * Locks the data folder for this process, so that only one stack uses it. Then ends the children that killed runs left. `stop` unlocks it.
 */
export async function takeOver(dataDir: string, url: string) {
  const file = join(dataDir, fileName);
  const id = randomUUID();
  const mine: RunRecord = { id, url, pid: process.pid, fingerprint: fingerprint(process.pid) ?? "" };
  claimFile(file, id, JSON.stringify(mine), (found) => {
    requireFile(found);
    refuseIfAlive(dataDir, read(found));
  });
  const stop = () => {
    if (read(file)?.id === id) rmSync(file, { force: true });
  };
  try {
    await clearDeadRuns(dataDir);
  } catch (error) {
    stop();
    throw error;
  }
  return { id, stop };
}

/** Ends the children of every dead run whose record was renamed (claim-file.ts) by this start or by an interrupted start. */
async function clearDeadRuns(dataDir: string): Promise<void> {
  for (const name of readdirSync(dataDir)) {
    if (!name.startsWith(`${fileName}.`)) continue;
    const file = join(dataDir, name);
    requireFile(file);
    const run = read(file);
    if (run) await Promise.all(processesWith(runVariable, run.id).map(endChild));
    rmSync(file, { force: true });
  }
}

/** Ends a process that an earlier start left running. */
export async function endChild(pid: number): Promise<void> {
  const name = commandLine(pid);
  const ended = await endProcess(pid, [
    // SIGINT makes Postgres shut down fast, and ends Deno.
    ["SIGINT", 5_000],
    ["SIGQUIT", 3_000],
    ["SIGKILL", 2_000],
  ]);
  if (!ended)
    throw new StartFailure(`cannot end process ${pid} (${name}), which the last start left running.`);
}

/** Refuses to go on when anything but a file has this name, because Keyhub did not make it. */
function requireFile(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found && !found.isFile()) throw new StartFailure(`${file} is not a file of Keyhub; move it away.`);
}

function refuseIfAlive(dataDir: string, run: RunRecord | undefined): void {
  if (run && run.fingerprint !== "" && fingerprint(run.pid) === run.fingerprint)
    throw new StartFailure(`a stack already runs on ${dataDir} (process ${run.pid}, ${run.url}).`);
}

function read(file: string): RunRecord | undefined {
  try {
    const { owner, ...rest } = JSON.parse(readFileSync(file, "utf8"));
    // Version 0.1.0 wrote the process as `owner`.
    const run = { ...owner, ...rest } as RunRecord;
    return UUID.test(run.id) && Number.isInteger(run.pid) && typeof run.fingerprint === "string"
      ? run
      : undefined;
  } catch {
    return undefined;
  }
}
