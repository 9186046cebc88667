/**
 * What work costs, told by the processor's time and not by the clock: a process that is held up, or shares its processor
 * with others, is late, but has not worked more. And told as a multiple of other work, which a slow machine makes
 * slower as well.
 */
import { expect } from "vitest";

const ROUNDS = 3;

/**
 * Fails when one thing is more work than so many times another, both done in this process without waiting for anything.
 * Measured in turns, the least of up to three rounds each, so that what else the engine has to do (compiling, collecting
 * garbage) does not count; ends as soon as the limit is kept.
 */
export function expectCost(work: () => unknown, measure: () => unknown, limit: number): void {
  let [cost, unit] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round += 1) {
    unit = Math.min(unit, costOf(measure));
    cost = Math.min(cost, costOf(work));
    if (cost <= limit * unit) break;
  }
  expect(cost / unit).toBeLessThanOrEqual(limit);
}

/**
 * The same for work of the database, whose processor's time nobody tells us: by the clock, so the limit has to be so
 * far up that a round in which the database was held up for seconds keeps it, or the next one does.
 */
export async function expectWait(
  work: () => Promise<unknown>,
  measure: () => Promise<unknown>,
  limit: number,
): Promise<void> {
  let [cost, unit] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round += 1) {
    unit = Math.min(unit, await waitFor(measure));
    cost = Math.min(cost, await waitFor(work));
    if (cost <= limit * unit) break;
  }
  expect(cost / unit).toBeLessThanOrEqual(limit);
}

async function waitFor(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Microseconds of the processor, never 0. */
function costOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return Math.max(user + system, 1);
}

/**
 * Fails when four times the size is more than eight times the work: work that is linear takes four times as much, work
 * that grows with the square sixteen times. `work` gets an input that was made beforehand.
 */
export function expectLinear<Input>(
  make: (size: number) => Input,
  size: number,
  work: (input: Input) => unknown,
): void {
  const [whole, quarter] = [make(size), make(size / 4)];
  work(quarter);
  expectCost(
    () => work(whole),
    () => work(quarter),
    8,
  );
}
