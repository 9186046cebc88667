import { setTimeout as sleep } from "node:timers/promises";

/** Far longer than anything takes on a busy machine: what has not happened by then will not happen. */
const MAX_WAIT_MS = 300_000;

/** Repeats the question until the answer is true. Throws after MAX_WAIT_MS, with the question, so that a test shows what did not happen. */
export async function until(question: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + MAX_WAIT_MS; performance.now() < end; await sleep(10)) {
    if (await question()) return;
  }
  throw new Error(`not within ${MAX_WAIT_MS / 1000} s: ${question}`);
}
