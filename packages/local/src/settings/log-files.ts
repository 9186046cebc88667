import { createWriteStream, mkdirSync, type WriteStream } from "node:fs";
import { join } from "node:path";
import { oneLine, StartFailure } from "../failure.ts";

/** Returns the folder of a stack's logs: one file per service, emptied by each start. `npm run logs` reads them. */
export const logFolder = (dataDir: string): string => join(dataDir, "logs");

export interface LogFiles {
  /** Adds a line, with the time before it, to the file of a service: a function's name, `postgres`, `rest` or `stack`. */
  write(service: string, line: string): void;
  stop(): void;
}

export function openLogFiles(dataDir: string): LogFiles {
  const folder = logFolder(dataDir);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartFailure(`cannot make ${folder}: ${oneLine(error)}`);
  }
  const files = new Map<string, WriteStream>();
  return {
    write(service, line) {
      let file = files.get(service);
      if (file === undefined) {
        // A full disk must not end the stack, so a line that cannot be written is dropped.
        file = createWriteStream(join(folder, `${service}.log`), { mode: 0o600 }).on("error", () => {});
        files.set(service, file);
      }
      file.write(`${new Date().toISOString()} ${line}\n`);
    },
    stop() {
      for (const file of files.values()) file.end();
      files.clear();
    },
  };
}
