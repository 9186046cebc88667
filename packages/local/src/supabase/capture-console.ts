import { AsyncLocalStorage } from "node:async_hooks";

/** The listener of the current async context, if it captures the console. */
const listeners = new AsyncLocalStorage<(values: unknown[]) => void>();
/** The console functions that this file has installed, to detect whether somebody has replaced one since. */
const wrappers = new WeakSet<(...values: unknown[]) => void>();

/**
 * Runs `work` and passes its console output to `onOutput` instead. It is for lite, which prints the database's whole error, row values
 * included, for each refused request. Code outside `work` writes to the console as before.
 */
export function captureConsole<T>(
  work: () => Promise<T>,
  onOutput: (values: unknown[]) => void = () => {},
): Promise<T> {
  patchConsole();
  return listeners.run(onOutput, work);
}

function patchConsole(): void {
  for (const method of ["error", "warn", "log", "info"] as const) {
    const original = console[method];
    if (wrappers.has(original)) continue;
    const wrapper = (...values: unknown[]) => {
      const listener = listeners.getStore();
      if (listener) listener(values);
      else original.apply(console, values);
    };
    wrappers.add(wrapper);
    console[method] = wrapper;
  }
}
