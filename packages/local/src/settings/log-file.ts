import { createWriteStream } from "node:fs";
import { join } from "node:path";

/** Returns the file with the log of a stack, which each start empties. `npm run logs` reads it. */
export const logFile = (dataDir: string): string => join(dataDir, "stack.log");

export interface LogFile {
  /** Adds a line, with the time and the service before it: a function's name, `postgres`, `rest`, `site` or `stack`. */
  write(service: string, line: string): void;
  stop(): void;
}

export function openLogFile(dataDir: string): LogFile {
  // A full disk must not end the stack, so a line that cannot be written is dropped.
  const file = createWriteStream(logFile(dataDir), { mode: 0o600 }).on("error", () => {});
  return {
    write: (service, line) => void file.write(`${new Date().toISOString()} ${service}: ${line}\n`),
    stop: () => void file.end(),
  };
}
