/** Does one piece of work at a time for the bench `hostile` and reports its cost. In a process of its own, so that the bench can stop it. */
import { readFileSync, writeFileSync } from "node:fs";
import { ENTRIES, type Entry } from "./entries.ts";
import type { Shape } from "./shapes.ts";

/** Of an entry the shape of that number, in a size; `rounds` times, the least counts. */
export interface Order {
  entry: string;
  seed: number;
  count: number;
  shape: number;
  size: number;
  rounds: number;
  /** Whether garbage is collected before each round: that takes longer than most of the work, so not among the crowd. */
  collect: boolean;
}

/** Processor seconds; memory in bytes at the most, beyond what there was before; and how long the input was. */
export interface Cost {
  cpu: number;
  memory: number;
  length: number;
  threw: string | null;
}

process.on("message", async (order: Order) => {
  const entry = ENTRIES.find(({ name }) => name === order.entry);
  const shape = entry && shapesOf(entry, order)[order.shape];
  if (entry === undefined || shape === undefined) throw new Error(`there is no such work: ${order.entry}`);
  const input = shape.make(order.size);
  const cost: Cost = { cpu: Number.POSITIVE_INFINITY, memory: 0, length: input.length, threw: null };
  for (let round = 0; round < order.rounds; round++) {
    if (order.collect) globalThis.gc?.();
    resetPeak();
    const memory = peak();
    const before = process.cpuUsage();
    try {
      await entry.work(input);
    } catch (error) {
      // Parsing invalid JSON is not our work.
      cost.threw = error instanceof SyntaxError ? null : String(error).slice(0, 80);
    }
    const { user, system } = process.cpuUsage(before);
    cost.cpu = Math.min(cost.cpu, (user + system) / 1e6);
    cost.memory = Math.max(cost.memory, peak() - memory);
  }
  process.send?.(cost);
});

/** Those of the entry that is measured, made once. */
let made: { entry: Entry; count: number; shapes: Shape[] } | undefined;

function shapesOf(entry: Entry, { seed, count }: Order): Shape[] {
  if (made?.entry !== entry || made.count !== count)
    made = { entry, count, shapes: entry.shapes(seed, count) };
  return made.shapes;
}

/** Linux reports the peak memory of a process and can reset it; elsewhere the heap after the work is used. */
function resetPeak(): void {
  try {
    writeFileSync("/proc/self/clear_refs", "5");
  } catch {
    // Measured by the heap then.
  }
}

function peak(): number {
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) * 1024;
  } catch {
    return process.memoryUsage().heapUsed;
  }
}
