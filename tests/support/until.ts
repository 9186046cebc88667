import { setTimeout as sleep } from "node:timers/promises";

/** Far longer than anything takes on a busy machine: an event that has not happened by then will not happen. */
const MAX_WAIT_MS = 300_000;

/**
 * The first and the last pause between two questions, in milliseconds. Pauses grow, because many questions are work for Postgres or Deno.
 */
const [FIRST_PAUSE_MS, LAST_PAUSE_MS] = [10, 50];

/** Repeats the question until the answer is true. Throws after MAX_WAIT_MS, with the question, so that a test shows what did not happen. */
export async function until(question: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + MAX_WAIT_MS;
  for (let pause = FIRST_PAUSE_MS; performance.now() < end; pause = Math.min(pause * 1.2, LAST_PAUSE_MS)) {
    if (await question()) return;
    await sleep(pause);
  }
  throw new Error(`not within ${MAX_WAIT_MS / 1000} s: ${question}`);
}
