/**
 * Compares the cost of work by CPU time, not by the clock: a process that has to wait is late, but has not worked more. Always as
 * a ratio to other work, which a slow machine makes slower, too.
 */
import { expect } from "vitest";

const ROUNDS = 3;

/**
 * Fails when one piece of work costs more than so many times another. Both run in this process, in turns; the minimum of up to
 * three rounds counts, so that compilation and garbage collection do not. Ends as soon as the limit is kept.
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
 * The same for work of the database, by the clock, because its CPU time is not available. So the limit must be generous: a round
 * in which the database had to wait for seconds still keeps it, or the next round does.
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

/** Some systems count CPU time in steps of a millisecond or more: what is shorter than this, in microseconds, is repeated. */
const COUNTABLE = 10_000;

/** CPU time in microseconds, never 0. */
function costOf(work: () => unknown): number {
  const before = process.cpuUsage();
  for (let times = 1; ; times += 1) {
    work();
    const { user, system } = process.cpuUsage(before);
    if (user + system >= COUNTABLE || times === 100) return Math.max((user + system) / times, 1);
  }
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
