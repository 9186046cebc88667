import type { Sleep } from "./types.ts";

/** The longest time of a timer, in milliseconds. Longer waits end after this time, about 25 days. */
const LONGEST = 2 ** 31 - 1;

/** The runtime's timers. */
export interface Timers {
  setTimeout(call: () => void, ms: number): unknown;
  clearTimeout(timer: never): void;
}

/** Returns a Sleep that uses these timers. */
export function waitBy({ setTimeout, clearTimeout }: Timers): Sleep {
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
