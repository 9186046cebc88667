import { setTimeout as sleep } from "node:timers/promises";

/** Far beyond what anything takes on a machine that is busy: what has not come by then does not come. */
const PATIENCE_MS = 300_000;

/** Asks until the answer is yes. Throws in the end, so that a test says what it waits for in vain. */
export async function until(question: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(10)) {
    if (await question()) return;
  }
  throw new Error(`not within ${PATIENCE_MS / 1000} s: ${question}`);
}
