import { existsSync, rmSync } from "node:fs";
import { StartFailure } from "../failure.ts";
import { claimFile } from "../processes/claim-file.ts";
import { fingerprint, read } from "../processes/identity.ts";
import type { Stoppable } from "../processes/teardown.ts";

const firstWords = "# Written by npm start";
const header = /^# Written by npm start; .* Run (\S+) of process (\d+), (.+)$/;

/** Refuses to overwrite a file that `npm start` did not write. */
export function requireOwnEnvFile(file: string): void {
  if (!existsSync(file) || read(file).startsWith(firstWords)) return;
  throw new StartFailure(
    `${file} was not written by npm start; move it, or name another one in KEYHUB_ENV_FILE.`,
  );
}

/** Refuses to overwrite the file of another running stack. The file of a killed run may be replaced. */
export function requireIdleEnvFile(file: string): void {
  const writer = readWriter(file);
  if (!writer || fingerprint(writer.pid) !== writer.started) return;
  throw new StartFailure(
    `${file} belongs to a stack that runs (process ${writer.pid}); name another one in KEYHUB_ENV_FILE.`,
  );
}

/** Writes the file of settings for tools and tests; it is removed when the stack stops or the process exits. `id` identifies the run. */
export function publishEnvironment(file: string, id: string, env: Record<string, string>): Stoppable {
  const run = `Run ${id} of process ${process.pid}, ${fingerprint(process.pid) ?? "unknown"}`;
  const lines = Object.entries(env).map(([name, value]) => `${name}='${value}'`);
  const text = [`${firstWords}; removed when it stops. ${run}`, ...lines, ""].join("\n");
  // Another stack may have become ready since the start checked the file.
  claimFile(file, id, text, (found) => {
    requireOwnEnvFile(found);
    requireIdleEnvFile(found);
  });
  rmSync(`${file}.${id}`, { force: true });
  /** Removes the file unless another run has replaced it. */
  const stop = () => {
    process.off("exit", stop);
    if (readWriter(file)?.id === id) rmSync(file, { force: true });
  };
  process.once("exit", stop);
  return { stop };
}

function readWriter(file: string): { id: string; pid: number; started: string } | undefined {
  const [, id, pid, started] = header.exec(read(file).split("\n", 1)[0] ?? "") ?? [];
  return id && pid && started ? { id, pid: Number(pid), started } : undefined;
}
