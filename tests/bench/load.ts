import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { withDatabase } from "../../packages/local/src/index.ts";
import { median } from "./cluster.ts";
import { startLoadStack } from "./load-stack.ts";
import type { Done, Work } from "./load-worker.ts";

const CONNECTIONS = [1, 8, 32];
const ROUNDS = 5;
const SECONDS = 2;
/** Least throughput and greatest p99, as ratios to the bare function. */
const LEAST_RATE = 0.8;
const MOST_P99 = 1.5;

const kinds = ["bare", "durable", "get", "set", "pair"] as const;
type Kind = (typeof kinds)[number];

/** Load on the functions through gateway, Deno, REST and Postgres, against a bare function, interleaved. */
export async function benchLoad(): Promise<void> {
  const stack = await startLoadStack();
  const worker = new Worker(new URL("./load-worker.ts", import.meta.url));
  const run = async (work: Pick<Work, "kind" | "connections" | "seconds">): Promise<Done> => {
    worker.postMessage({ ...work, urls: stack.urls, token: stack.token } satisfies Work);
    const [done] = await once(worker, "message");
    return done as Done;
  };
  try {
    for (const kind of kinds) await run({ kind, connections: 8, seconds: 2 });
    const table = [];
    const failures = new Set<string>();
    for (const connections of CONNECTIONS) {
      const found: Record<Kind, Done[]> = { bare: [], durable: [], get: [], set: [], pair: [] };
      for (let round = 0; round < ROUNDS; round += 1) {
        // Each in turn the first: what comes next finds the database as the one before left it.
        const order = [...kinds.slice(round), ...kinds.slice(0, round)];
        for (const kind of order) {
          const done = await run({ kind, connections, seconds: SECONDS });
          found[kind].push(done);
          for (const [what, count] of Object.entries(done.failures)) failures.add(`${what} × ${count}`);
        }
        process.stderr.write(`${connections} connections, round ${round + 1} of ${ROUNDS}\n`);
      }
      for (const kind of ["durable", "get", "set", "pair"] as const)
        table.push(row(kind, connections, found[kind], found.bare));
    }
    console.table(table);
    console.log(
      `Calls a second and times as ratios to a bare function; medians of ${ROUNDS} interleaved rounds of ${SECONDS} s. ` +
        `Targets: rate at least ${LEAST_RATE}, p99 at most ${MOST_P99}. ${process.version}.`,
    );
    console.log(
      `Answers other than 200: ${[...failures].join(", ") || "none"}. ${await books(stack.databaseUrl)}`,
    );
  } finally {
    await worker.terminate();
    await stack.stop();
  }
}

function row(kind: Kind, connections: number, ours: Done[], bare: Done[]) {
  const rate = ratio(ours, bare, ({ calls, seconds }) => calls / seconds);
  const p99 = ratio(ours, bare, ({ latencies }) => quantile(latencies, 0.99));
  return {
    calls: {
      bare: "bare",
      durable: "(least durable work)",
      get: "get-active-key",
      set: "set-key-state",
      pair: "get, then report",
    }[kind],
    connections,
    "bare/s": Math.round(median(bare.map(({ calls, seconds }) => calls / seconds))),
    rate: rate.toFixed(2),
    p50: ratio(ours, bare, ({ latencies }) => quantile(latencies, 0.5)).toFixed(2),
    p99: p99.toFixed(2),
    met: rate >= LEAST_RATE && p99 <= MOST_P99,
  };
}

function ratio(ours: Done[], bare: Done[], of: (done: Done) => number): number {
  return median(ours.map(of)) / median(bare.map(of));
}

function quantile(values: number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

async function books(databaseUrl: string): Promise<string> {
  const [row] = await withDatabase(
    databaseUrl,
    (sql) => sql`
      select count(*)::int as wrong from public.user_api_keys k
      where k.usage_count <> (select count(*) from public.api_key_usage_log l where l.user_api_key_id = k.id)`,
  );
  return `Keys whose usage_count is not the number of their log rows: ${row?.wrong}.`;
}
