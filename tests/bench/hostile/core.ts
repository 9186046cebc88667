import { type ChildProcess, fork } from "node:child_process";
import { randomFrom } from "../../corpus/redact/generate.ts";
import type { Cost, Order } from "./child.ts";
import { ENTRIES, type Entry } from "./entries.ts";
import { TARGETS } from "./targets.ts";

/** What takes longer than this is stopped, in milliseconds. */
const PATIENCE_MS = 60_000;
/** So many of the dearest shapes of an entry are measured at its limit, in a process of their own. */
const FINALISTS = 3;
/** Below this, in seconds, a ratio says nothing. */
const MEASURABLE = 0.2;
const SEED = 1;

export interface Row {
  entry: string;
  inputs: number;
  "worst CPU s": number;
  "worst MB": number;
  "CPU ns/byte": number;
  "size × 2": number;
  faults: string[];
  shape: string;
}

/** Runs every entry, or those whose name has `only` in it, with so many shapes each. */
export async function measureCore(inputs: number, only: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const entry of ENTRIES) {
    if (!entry.name.includes(only)) continue;
    const row = await measureEntry(entry, inputs);
    rows.push(row);
    process.stderr.write(
      `${row.faults.length === 0 ? "ok  " : "MISS"} ${entry.name}: ${row["worst CPU s"]} s, ${row["worst MB"]} MB, × ${row["size × 2"]} (${row.shape})\n`,
    );
  }
  return rows;
}

async function measureEntry(entry: Entry, inputs: number): Promise<Row> {
  const order = { entry: entry.name, seed: SEED, count: inputs };
  const random = randomFrom(SEED);
  const tried: { shape: number; cpu: number; memory: number }[] = [];
  const crowd = new Worker();
  for (let shape = 0; shape < inputs; shape++) {
    // Most are smaller than the limit: what grows too fast shows in a part of it as well.
    const size = Math.min(entry.bytes, Math.floor((32 + 96 * random()) * 1024));
    const { cpu, memory, length } = await crowd.do({ ...order, shape, size, rounds: 1 });
    tried.push({ shape, cpu: cpu / length, memory: memory / length });
  }
  crowd.end();
  const dearest = (by: "cpu" | "memory") =>
    tried
      .toSorted((a, b) => b[by] - a[by])
      .slice(0, FINALISTS)
      .map(({ shape }) => shape);
  const names = entry.shapes(SEED, inputs);
  const row: Row = {
    entry: entry.name,
    inputs,
    "worst CPU s": 0,
    "worst MB": 0,
    "CPU ns/byte": 0,
    "size × 2": 0,
    faults: [],
    shape: "",
  };
  for (const shape of new Set([...dearest("cpu"), ...dearest("memory")])) {
    const alone = new Worker();
    const first = await alone.do({ ...order, shape, size: entry.bytes, rounds: 1 });
    const whole =
      first.cpu < 2 * TARGETS.cpu ? await alone.do({ ...order, shape, size: entry.bytes, rounds: 2 }) : first;
    const half = await alone.do({
      ...order,
      shape,
      size: entry.bytes / 2,
      rounds: first.cpu < 2 * TARGETS.cpu ? 3 : 1,
    });
    alone.end();
    const cpu = Math.min(first.cpu, whole.cpu);
    const megabytes = Math.round(first.memory / 1e6);
    const ratio = cpu > MEASURABLE ? cpu / half.cpu / (whole.length / half.length / 2) : 0;
    const faults = [
      ...(cpu > TARGETS.cpu ? [`${cpu.toFixed(1)} s`] : []),
      ...(megabytes > TARGETS.megabytes ? [`${megabytes} MB`] : []),
      ...(ratio > TARGETS.doubling ? [`× ${ratio.toFixed(1)}`] : []),
      ...[first.threw, half.threw].filter((threw) => threw !== null),
    ];
    row.faults.push(...faults.map((fault) => `${fault}: ${names[shape]?.name}`));
    if (cpu > row["worst CPU s"]) {
      row.shape = names[shape]?.name ?? "";
      row["worst CPU s"] = Number(cpu.toFixed(3));
      row["CPU ns/byte"] = Math.round((cpu * 1e9) / whole.length);
    }
    row["worst MB"] = Math.max(row["worst MB"], megabytes);
    row["size × 2"] = Math.max(row["size × 2"], Number(ratio.toFixed(2)));
  }
  return row;
}

/** A child process, made anew when it had to be stopped. */
class Worker {
  #child: ChildProcess | null = null;

  async do(order: Order): Promise<Cost> {
    this.#child ??= fork(new URL("./child.ts", import.meta.url), [], {
      execArgv: ["--expose-gc", "--max-old-space-size=3000", "--disable-warning=ExperimentalWarning"],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const child = this.#child;
    const failed = (threw: string): Cost => ({
      cpu: PATIENCE_MS / 1000,
      memory: 0,
      length: order.size,
      threw,
    });
    return new Promise((resolve) => {
      const finish = (cost: Cost) => {
        clearTimeout(timer);
        child.removeAllListeners();
        resolve(cost);
      };
      const timer = setTimeout(() => {
        this.end();
        finish(failed("stopped"));
      }, PATIENCE_MS);
      child.once("message", (cost: Cost) => finish(cost));
      child.once("exit", () => {
        this.#child = null;
        finish(failed("died"));
      });
      child.send(order);
    });
  }

  end(): void {
    this.#child?.kill("SIGKILL");
    this.#child = null;
  }
}
