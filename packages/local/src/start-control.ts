import { StartFailure } from "./failure.ts";
import { createTeardown } from "./processes/teardown.ts";
import { type LogFile, openLogFile } from "./settings/log-file.ts";

export interface StartEvents {
  /** Receives lines for the person at the terminal. */
  onLog?: (line: string) => void;
  /** Called when a part died and cannot be restarted; the stack has already stopped itself by then. */
  onFatal?: (message: string) => void;
  /** Aborts a start and stops everything it has started. */
  signal?: AbortSignal;
}

export type StartControl = ReturnType<typeof createStartControl>;

/** Makes the state that all steps of a start share: the parts to stop, the log, and whether the start goes on. */
export function createStartControl({ onLog, onFatal, signal }: StartEvents) {
  const teardown = createTeardown();
  let logFile: LogFile | undefined;
  let isReady = false;
  let failure: string | undefined;

  /** Writes a line of a service to the log file. */
  const write = (service: string, line: string) => logFile?.write(service, line);

  return {
    teardown,
    write,
    openLogFile(dataDir: string): void {
      logFile = teardown.add(openLogFile(dataDir));
    },
    /** Writes a line to the terminal and, as a line of a service, to the log file. */
    log(line: string, service = "stack"): void {
      write(service, line);
      onLog?.(line);
    },
    /** Stops the stack because a part has died and cannot be restarted. A ready stack stops at once; a start stops before its next step. */
    async fail(message: string): Promise<void> {
      if (failure) return;
      failure = message;
      if (!isReady) return;
      await teardown.stop();
      onFatal?.(message);
    },
    /** Throws when the start was aborted or a part has failed. Called between steps. */
    proceed(): void {
      signal?.throwIfAborted();
      if (failure) throw new StartFailure(failure);
    },
    ready(): void {
      isReady = true;
    },
    /** Stops the started parts; returns the error to throw. */
    async abandon(error: unknown): Promise<unknown> {
      await teardown.stop();
      return failure ? new StartFailure(failure) : error;
    },
  };
}
