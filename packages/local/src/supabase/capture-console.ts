import { AsyncLocalStorage } from "node:async_hooks";

/** Where the console's words of the work at hand go instead. */
const listeners = new AsyncLocalStorage<(words: unknown[]) => void>();
let patched = false;

/**
 * Runs work whose library writes to the console, such as lite, which prints each refused request with the
 * database's whole error: stack, row values and all. Everybody else's console stays as it is.
 */
export function captureConsole<T>(
  work: () => Promise<T>,
  onWords: (words: unknown[]) => void = () => {},
): Promise<T> {
  patchConsole();
  return listeners.run(onWords, work);
}

function patchConsole(): void {
  if (patched) return;
  patched = true;
  for (const method of ["error", "warn", "log", "info"] as const) {
    const original = console[method];
    console[method] = (...words: unknown[]) => {
      const listener = listeners.getStore();
      if (listener) listener(words);
      else original.apply(console, words);
    };
  }
}
