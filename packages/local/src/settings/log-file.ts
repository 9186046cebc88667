import { createWriteStream } from "node:fs";
import { join } from "node:path";

/** Returns the file with the log of a stack, which each start empties. `npm run logs` reads it. */
export const logFile = (dataDir: string): string => join(dataDir, "stack.log");

export interface LogFile {
  /** Adds the lines of a text, with the time and the service before each: a function's name, `postgres`, `rest`, `site` or `stack`. */
  write(service: string, text: string): void;
  stop(): void;
}

export function openLogFile(dataDir: string): LogFile {
  // A full disk must not end the stack, so a line that cannot be written is dropped.
  const file = createWriteStream(logFile(dataDir), { mode: 0o600 }).on("error", () => {});
  return {
    write: (service, text) => {
      const head = `${new Date().toISOString()} ${service}:`;
      // Every line gets the head, so that a text from outside cannot look like the line of another service.
      file.write(text.replace(/^/gm, `${head} `).replace(/\n?$/, "\n"));
    },
    stop: () => void file.end(),
  };
}
