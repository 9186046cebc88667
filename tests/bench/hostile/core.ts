import { type ChildProcess, fork } from "node:child_process";
import { randomFrom } from "../../fixtures/redact/generate.ts";
import type { Cost, Order } from "./child.ts";
import { ENTRIES, type Entry } from "./entries.ts";
import { TARGETS } from "./targets.ts";

/** The time in milliseconds after which work is stopped. */
const PATIENCE_MS = 60_000;
/** The number of the most expensive shapes of an entry that are measured again at its limit, each in a separate process. */
const FINALISTS = 3;
/** The time in seconds below which the ratio of two times is too inexact. */
const MEASURABLE = 0.2;
/** The time in seconds that even the smallest input takes. It is subtracted before times are extrapolated. */
const NOISE = 0.004;
/** The smallest inputs, in characters. */
const SMALLEST = 4_096;
/** The number of times that a missed target is measured again. */
const REPEATS = 2;
const SEED = 1;

export interface Row {
  entry: string;
  inputs: number;
  "worst CPU s": number;
  "worst MB": number;
  "CPU ns/byte": number;
  "heap B/byte": number;
  "size × 2": number;
  faults: string[];
  shape: string;
}

/** Runs every entry, or those whose name contains `only`, with `inputs` shapes each. */
export async function measureCore(inputs: number, only: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const entry of ENTRIES) {
    if (!entry.name.includes(only)) continue;
    const started = Date.now();
    const row = await measureEntry(entry, inputs);
    rows.push(row);
    process.stderr.write(
      `${row.faults.length === 0 ? "ok  " : "MISS"} ${entry.name}: ${row["worst CPU s"]} s, ${row["worst MB"]} MB, × ${row["size × 2"]} (${row.shape}); ${Math.round((Date.now() - started) / 1000)} s for all\n`,
    );
  }
  return rows;
}

async function measureEntry(entry: Entry, inputs: number): Promise<Row> {
  const order = { entry: entry.name, seed: SEED, count: inputs };
  const random = randomFrom(SEED);
  const shapes = entry.shapes(SEED, inputs);
  const tried: { shape: number; cpu: number; memory: number }[] = [];
  const crowd = new Worker();
  for (const [shape, { always }] of shapes.entries()) {
    // Shapes that are written by hand are measured at the limit. The others get a random size up to a quarter of the limit, evenly on a
    // logarithmic scale: work that grows too fast is also found at these sizes.
    const largest = entry.bytes / 4;
    const size = always ? entry.bytes : Math.floor(SMALLEST * (largest / SMALLEST) ** random());
    const { cpu, memory } = await crowd.do({
      ...order,
      shape,
      size,
      rounds: 1,
      collect: shape % 20 === 0,
    });
    // The expected cost at the limit, if the cost is proportional to the size.
    const times = entry.bytes / size;
    tried.push({
      shape,
      cpu: Math.max(0, cpu - NOISE) * times,
      memory: cpu > NOISE ? memory * times : 0,
    });
  }
  crowd.end();
  const mostExpensive = (by: "cpu" | "memory") =>
    tried
      .toSorted((a, b) => b[by] - a[by])
      .slice(0, FINALISTS)
      .map(({ shape }) => shape);
  const row: Row = {
    entry: entry.name,
    inputs: shapes.length,
    "worst CPU s": 0,
    "worst MB": 0,
    "CPU ns/byte": 0,
    "heap B/byte": 0,
    "size × 2": 0,
    faults: [],
    shape: "",
  };
  for (const shape of new Set([...mostExpensive("cpu"), ...mostExpensive("memory")])) {
    let best = await measureAtLimit(entry, { ...order, shape });
    // A missed target is a fault only when it is missed again, because every figure includes other work of the machine and of V8.
    for (let again = 0; again < REPEATS && faultsOf(best).length > 0; again++) {
      const next = await measureAtLimit(entry, { ...order, shape });
      best = {
        ...next,
        cpu: Math.min(best.cpu, next.cpu),
        memory: Math.min(best.memory, next.memory),
        ratio: Math.min(best.ratio, next.ratio),
      };
    }
    const name = shapes[shape]?.name ?? "";
    row.faults.push(...faultsOf(best).map((fault) => `${fault}: ${name}`));
    if (best.cpu > row["worst CPU s"]) {
      row.shape = name;
      row["worst CPU s"] = Number(best.cpu.toFixed(3));
      row["CPU ns/byte"] = Math.round((best.cpu * 1e9) / best.length);
    }
    row["worst MB"] = Math.max(row["worst MB"], Math.round(best.memory / 1e6));
    row["heap B/byte"] = Math.max(row["heap B/byte"], Number((best.memory / best.length).toFixed(1)));
    row["size × 2"] = Math.max(row["size × 2"], Number(best.ratio.toFixed(2)));
  }
  return row;
}

interface AtLimit extends Cost {
  /** This time divided by the time for an input of half the size; 0 if the times are too short. */
  ratio: number;
}

/** Measures a shape at the limit and at half the limit, in a new process. */
async function measureAtLimit(
  { bytes }: Entry,
  order: Omit<Order, "size" | "rounds" | "collect">,
): Promise<AtLimit> {
  const alone = new Worker();
  const first = await alone.do({ ...order, size: bytes, rounds: 1, collect: true });
  const rounds = first.cpu < 2 * TARGETS.cpu ? 3 : 1;
  const whole = rounds === 1 ? first : await alone.do({ ...order, size: bytes, rounds, collect: true });
  const half = await alone.do({ ...order, size: bytes / 2, rounds, collect: true });
  alone.end();
  const cpu = Math.min(first.cpu, whole.cpu);
  const ratio = cpu > MEASURABLE ? cpu / half.cpu / (whole.length / half.length / 2) : 0;
  return { ...whole, cpu, memory: first.memory, ratio, threw: first.threw ?? half.threw };
}

function faultsOf({ cpu, memory, ratio, threw }: AtLimit): string[] {
  return [
    ...(cpu > TARGETS.cpu ? [`${cpu.toFixed(1)} s`] : []),
    ...(memory > TARGETS.megabytes * 1e6 ? [`${Math.round(memory / 1e6)} MB`] : []),
    ...(ratio > TARGETS.doubling ? [`× ${ratio.toFixed(1)}`] : []),
    ...(threw === null ? [] : [threw]),
  ];
}

/**
 * The limit of the heap: the target, and the size of core's modules. With a higher limit V8 would keep garbage for longer, so the size of
 * the process would not show how much memory it needs. A process that needs more memory ends.
 */
const HEAP_MB = TARGETS.megabytes + 30;

/** Runs orders in a child process. A new child is started after the last one had to be stopped. */
class Worker {
  #child: ChildProcess | null = null;

  async do(order: Order): Promise<Cost> {
    this.#child ??= fork(new URL("./child.ts", import.meta.url), [], {
      execArgv: ["--expose-gc", `--max-old-space-size=${HEAP_MB}`, "--disable-warning=ExperimentalWarning"],
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
