import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { withDatabase } from "../../packages/local/src/index.ts";
import { median } from "./cluster.ts";
import { startLoadStack } from "./load-stack.ts";
import type { Done, Work } from "./load-worker.ts";

/**
 * The number of rounds for each number of connections. Many short rounds are compared with their neighbours, because the load of the
 * machine changes with time. One connection has the most rounds: its calls wait until sleeping processes wake up, and that time varies.
 */
const ROUNDS_BY_CONNECTIONS = [
  [1, 40],
  [8, 15],
  [32, 15],
] as const;
const SECONDS = 0.7;
/** The smallest throughput and the largest p99, as ratios to the bare function. */
const LEAST_RATE = 0.8;
const MOST_P99 = 1.5;

interface Load {
  name: string;
  kind: Work["kind"];
  /** The load with which this load is compared: the bare function, or two bare functions in turns. */
  beside?: "bare" | "two";
  /** Whether each connection has its own token: then calls of different connections never share a batch. */
  apart?: true;
  /** Whether the bench fails if this load misses the targets. */
  aim?: true;
}
const loads: Load[] = [
  { name: "bare", kind: "bare" },
  { name: "two bare", kind: "two" },
  { name: "(least durable work)", kind: "durable", beside: "bare" },
  { name: "get-active-key", kind: "get", beside: "bare", aim: true },
  { name: "set-key-state", kind: "set", beside: "bare", aim: true },
  { name: "get, then report", kind: "pair", beside: "two", aim: true },
  { name: "(get-active-key, a token each)", kind: "get", beside: "bare", apart: true },
  { name: "(set-key-state, a token each)", kind: "set", beside: "bare", apart: true },
];

/** Measures load on the functions through gateway, Deno, REST and Postgres. The functions and bare functions run in turns. */
export async function benchLoad(): Promise<void> {
  const stack = await startLoadStack(Math.max(...ROUNDS_BY_CONNECTIONS.map(([connections]) => connections)));
  const worker = new Worker(new URL("./load-worker.ts", import.meta.url));
  const run = async ({ kind, apart }: Load, connections: number, seconds: number): Promise<Done> => {
    const tokens = apart ? stack.tokens : stack.tokens.slice(0, 1);
    worker.postMessage({ kind, connections, seconds, urls: stack.urls, tokens } satisfies Work);
    const [done] = await once(worker, "message");
    return done as Done;
  };
  try {
    for (const load of loads) await run(load, 8, 2);
    const table = [];
    const failures = new Set<string>();
    for (const [connections, rounds] of ROUNDS_BY_CONNECTIONS) {
      // With one connection, a load with a token for each connection would be the same as the load with one token, so it is left out.
      const running = loads.filter(({ apart }) => !apart || connections > 1);
      const found = new Map<Load, Done[]>(running.map((load) => [load, []]));
      for (let round = 0; round < rounds; round += 1) {
        // In each round another load goes first, because every load finds the caches and dead rows of the load before it.
        const first = round % running.length;
        for (const load of [...running.slice(first), ...running.slice(0, first)]) {
          const done = await run(load, connections, SECONDS);
          found.get(load)?.push(done);
          for (const [what, count] of Object.entries(done.failures)) failures.add(`${what} × ${count}`);
        }
        process.stderr.write(`${connections} connections, round ${round + 1} of ${rounds}\n`);
      }
      for (const load of running) {
        const reference = loads.find(({ name, kind }) => kind === load.beside && name !== load.name);
        if (reference !== undefined)
          table.push(row(load, connections, found.get(load) ?? [], found.get(reference) ?? []));
      }
    }
    console.table(table);
    console.log(
      `Calls a second and times as ratios to a bare function, "get, then report" to two of them in turns. The rate is the ` +
        `median of interleaved rounds of ${SECONDS} s, times are of all rounds. In parentheses: for comparison. ` +
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

function row(load: Load, connections: number, ours: Done[], bare: Done[]) {
  const rateOf = (done: Done | undefined) => (done === undefined ? Number.NaN : done.calls / done.seconds);
  const rate = median(ours.map((done, round) => rateOf(done) / rateOf(bare[round])));
  const times = (q: number) => quantile(ours, q) / quantile(bare, q);
  return {
    calls: load.name,
    connections,
    "bare/s": Math.round(median(bare.map(rateOf))),
    rate: rate.toFixed(2),
    p50: times(0.5).toFixed(2),
    p99: times(0.99).toFixed(2),
    ...(load.aim && { met: rate >= LEAST_RATE && times(0.99) <= MOST_P99 }),
  };
}

function quantile(rounds: Done[], q: number): number {
  const sorted = rounds.flatMap(({ latencies }) => latencies).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

async function books(databaseUrl: string): Promise<string> {
  const [row] = await withDatabase(
    databaseUrl,
    (sql) => sql`
      select count(*)::int as wrong from public.user_api_keys k
      where k.usage_count - k.skipped_count <> (select count(*) from public.api_key_usage_log l where l.user_api_key_id = k.id)`,
  );
  return `Keys whose usage_count - skipped_count is not the number of their log rows: ${row?.wrong}.`;
}
