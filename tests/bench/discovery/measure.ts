import { readFileSync } from "node:fs";
import { type BenchCall, floor } from "./calls.ts";
import type { Hub } from "./hub.ts";

/** The times of a piece of work in milliseconds: `time` until its answer arrived, and `processor` while the server's process had a core. */
export interface Taken {
  time: number;
  processor: number;
}
export interface Times {
  call: Taken[];
  floor: Taken[];
}

/** The time in milliseconds after which a call without an aim ends, however few rounds it has made. */
const PATIENCE_MS = 15_000;
const WARM = 6;

/** Measures rounds of one call: the floor and the call, on one hub after the other. */
export async function measureCall(hubs: Hub[], call: BenchCall, rounds: number): Promise<Times[]> {
  const found = hubs.map((): Times => ({ call: [], floor: [] }));
  const end = performance.now() + PATIENCE_MS;
  for (let round = 0; round < rounds + WARM; round += 1) {
    if (call.aim === 0 && found[0] && found[0].call.length > 0 && performance.now() > end) break;
    // The first rounds plan and fill caches. A call that takes seconds has only one such round.
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

/** Returns how long a process has had a core, by Linux's count; NaN on other systems. */
function processorMs(pid: number): number {
  if (process.platform !== "linux") return Number.NaN;
  return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

/** Returns the tenth percentile: the time of the work while nothing else is in the way. */
export function low(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 10)] ?? Number.NaN;
}
