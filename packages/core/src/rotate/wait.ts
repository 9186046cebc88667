import type { Wait } from "./types.ts";

/** A timer holds at most so much; longer waits come in parts. */
const LONGEST = 2 ** 31 - 1;

/** The runtime's timers. */
export interface Timers {
  setTimeout(call: () => void, ms: number): unknown;
  clearTimeout(timer: never): void;
}

/** A wait by these timers. */
export function waitBy({ setTimeout, clearTimeout }: Timers): Wait {
  return (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer = setTimeout(done, Math.min(ms, LONGEST));
      signal?.addEventListener("abort", abort, { once: true });
      function done() {
        signal?.removeEventListener("abort", abort);
        resolve();
      }
      function abort() {
        clearTimeout(timer as never);
        reject(signal?.reason);
      }
    });
}
