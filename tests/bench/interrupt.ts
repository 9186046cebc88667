import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { endChildrenQuickly } from "../../packages/local/src/index.ts";

/**
 * Makes Ctrl-C, SIGTERM and SIGHUP also end the child processes, in any bench and at any time. The benches write their temporary files into
 * one folder of this run, which is removed when the process ends.
 */
export function endWithChildren(): void {
  const folder = mkdtempSync(join(tmpdir(), "keyhub-bench-run-"));
  // Started as root, Postgres runs as another user, who must be able to enter the folder.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));

  let isEnding = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (isEnding) return;
      isEnding = true;
      // Errors of the bench about lost connections are not shown, because the end of the children causes them.
      process.on("uncaughtException", () => {});
      void endChildrenQuickly().finally(() => process.exit(128 + constants.signals[signal]));
    });
  }
}
