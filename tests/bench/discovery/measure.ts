import { readFileSync } from "node:fs";
import { type BenchCall, floor } from "./calls.ts";
import type { Hub } from "./hub.ts";

/**
 * The times of a call in milliseconds: `time` is the time until the answer arrived, `processor` the processor time of the server's process.
 */
export interface Taken {
  time: number;
  processor: number;
}
export interface Times {
  call: Taken[];
  floor: Taken[];
}

/** The time in milliseconds after which a call without an aim gets no further rounds, however few it has had. */
const PATIENCE_MS = 15_000;
const WARM = 6;

/** Measures one call in rounds. Each round runs `floor` and then the call on one hub after the other. */
export async function measureCall(hubs: Hub[], call: BenchCall, rounds: number): Promise<Times[]> {
  const found = hubs.map((): Times => ({ call: [], floor: [] }));
  const end = performance.now() + PATIENCE_MS;
  for (let round = 0; round < rounds + WARM; round += 1) {
    if (call.aim === 0 && found[0] && found[0].call.length > 0 && performance.now() > end) break;
    // The first rounds are not measured, because Postgres makes its plans and fills its caches in them. A call without an aim has only one
    // such round.
    const isWarm = round >= WARM || (call.aim === 0 && round > 0);
    for (const [i, hub] of hubs.entries()) {
      const reference = await taken(hub, () => floor(hub));
      const asked = await taken(hub, () => call.run(hub));
      if (!isWarm) continue;
      found[i]?.floor.push(reference);
      found[i]?.call.push(asked);
    }
  }
  return found;
}

async function taken({ guestPid }: Hub, work: () => Promise<unknown>): Promise<Taken> {
  const before = processorMs(guestPid);
  const time = await timed(work);
  return { time, processor: processorMs(guestPid) - before };
}

/** Returns the milliseconds of processor time that a process has used, from Linux; NaN on other systems. */
function processorMs(pid: number): number {
  if (process.platform !== "linux") return Number.NaN;
  return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

/** Returns the tenth percentile: the time when no other work of the machine disturbs the measured work. */
export function low(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 10)] ?? Number.NaN;
}
