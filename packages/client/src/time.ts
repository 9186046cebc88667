/** Milliseconds of a clock that only goes forward. */
export const now = (): number => performance.now();

/** A timer holds at most so much; longer waits come in parts. */
const LONGEST = 2 ** 31 - 1;

export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(done, Math.min(ms, LONGEST));
    signal?.addEventListener("abort", abort, { once: true });
    function done() {
      signal?.removeEventListener("abort", abort);
      resolve();
    }
    function abort() {
      clearTimeout(timer);
      reject(signal?.reason);
    }
  });
}
