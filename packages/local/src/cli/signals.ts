/**
 * Handles the signals that stop the process: the first one asks for an orderly end, a later one forces the end. On Ctrl-C both the terminal
 * and npm send a signal, so signals within a second of the first are ignored.
 */
export function onSignals(ask: () => void, force: () => void): void {
  let askedAt: number | undefined;
  const handle = () => {
    if (askedAt === undefined) {
      askedAt = performance.now();
      ask();
    } else if (performance.now() - askedAt > 1_000) force();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, handle);
}
