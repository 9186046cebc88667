import type { Sleep } from "./types.ts";

/** The longest time of one timer. Longer waits are split. */
const LONGEST = 2 ** 31 - 1;

/** The runtime's timers. */
export interface Timers {
  setTimeout(call: () => void, ms: number): unknown;
  clearTimeout(timer: never): void;
}

/** Makes a wait with these timers. */
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
