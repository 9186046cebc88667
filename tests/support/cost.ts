/**
 * What work costs, told by the processor's time and not by the clock: a process that is held up, or shares its processor
 * with others, is late, but has not worked more. And told as a multiple of other work, which a slow machine makes
 * slower as well.
 */
import { expect } from "vitest";

const ROUNDS = 3;

/**
 * How many times as much work one thing is than another, both done in this process without waiting for anything.
 * Measured in turns, the least of up to three rounds each, so that what else the engine has to do (compiling, collecting
 * garbage) does not count; ends as soon as the limit is kept.
 */
export function timesTheCost(work: () => unknown, measure: () => unknown, limit: number): number {
  let [cost, unit] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < ROUNDS; round += 1) {
    unit = Math.min(unit, costOf(measure));
    cost = Math.min(cost, costOf(work));
    if (cost <= limit * unit) break;
  }
  return cost / unit;
}

/** Fails when one thing is more work than so many times another. */
export function expectCost(work: () => unknown, measure: () => unknown, limit: number): void {
  expect(timesTheCost(work, measure, limit)).toBeLessThanOrEqual(limit);
}

/** Microseconds of the processor, never 0. */
function costOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return Math.max(user + system, 1);
}
