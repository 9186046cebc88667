/**
 * Compares the cost of work by CPU time, because time by the clock also contains waits for other processes. The cost is always a ratio to
 * other work, because all work is slower on a slow machine.
 */
import { expect } from "vitest";

/**
 * The largest number of rounds. Only work that costs too much needs all ten. A limit of three rounds was once too low, while another
 * process disturbed the caches.
 */
const ROUNDS = 10;

/**
 * Fails when `work` costs more than `limit` times `measure`. Both run in this process, in turns, for up to ten rounds. The cheapest run
 * of each is compared, because it has the least compilation and garbage collection. The rounds end as soon as the cost is within the limit.
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
 * Compares the cost of the database's work as `expectCost` does, but by the clock, because the database's CPU time is not available. The
 * caller must choose a generous limit, so that the test passes even if other processes delay the database for seconds in one round.
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

/**
 * The shortest time in microseconds that is measured; shorter work is repeated. Some systems count CPU time in steps of a millisecond or
 * more.
 */
const COUNTABLE = 10_000;

/** Returns the CPU time in microseconds, never 0. */
function costOf(work: () => unknown): number {
  const before = process.cpuUsage();
  for (let times = 1; ; times += 1) {
    work();
    const { user, system } = process.cpuUsage(before);
    if (user + system >= COUNTABLE || times === 100) return Math.max((user + system) / times, 1);
  }
}

/**
 * Fails when an input of four times the size takes more than eight times the work: linear work takes four times as much, and quadratic work
 * sixteen times. `make` builds the inputs beforehand.
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
