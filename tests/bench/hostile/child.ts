/**
 * Runs an entry point of core on one input at a time for the bench `hostile`, and reports the cost. It is a separate process, so that the
 * bench can stop work that takes too long.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { ENTRIES, type Entry } from "./entries.ts";
import type { Shape } from "./shapes.ts";

/** An order of the bench: the input of one shape (by its number) in one size. The work runs `rounds` times; the least time is its cost. */
export interface Order {
  entry: string;
  seed: number;
  count: number;
  shape: number;
  size: number;
  rounds: number;
  /** Whether to collect garbage before each round. It takes longer than most work, so the first selection sets it for one shape in 20. */
  collect: boolean;
}

/** The processor seconds, the peak memory in bytes beyond the memory before the work, and the length of the input. */
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
      // JSON.parse refuses invalid JSON before Keyhub's code runs, so a SyntaxError is no fault.
      cost.threw = error instanceof SyntaxError ? null : String(error).slice(0, 80);
    }
    const { user, system } = process.cpuUsage(before);
    cost.cpu = Math.min(cost.cpu, (user + system) / 1e6);
    cost.memory = Math.max(cost.memory, peak() - memory);
  }
  process.send?.(cost);
});

/** The shapes of the entry that is measured now, which are made only once. */
let made: { entry: Entry; count: number; shapes: Shape[] } | undefined;

function shapesOf(entry: Entry, { seed, count }: Order): Shape[] {
  if (made?.entry !== entry || made.count !== count)
    made = { entry, count, shapes: entry.shapes(seed, count) };
  return made.shapes;
}

/** Resets the peak memory of the process. Only Linux can do so; elsewhere the heap after the work is used. */
function resetPeak(): void {
  try {
    writeFileSync("/proc/self/clear_refs", "5");
  } catch {
    // On other systems `peak` uses the heap.
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
