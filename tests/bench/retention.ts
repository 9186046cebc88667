import type postgres from "postgres";
import { addPool, type Cluster, median, startCluster } from "./cluster.ts";
import { takeLease } from "./leases.ts";

const KEYS = 1_000;
const CALLERS = 16;
const OLD_ROWS = 1_000_000;
const YOUNG_ROWS = 1_000_000;
const WINDOW_MS = 2_000;

/** The milliseconds of each call of the callers, in windows with or without the pruner. */
interface Felt {
  lease: number[];
  report: number[];
}

/** Measures how pruning a million old rows in batches affects callers that lease and report, window by window. */
export async function benchRetention(): Promise<void> {
  const cluster = await startCluster({ shared_buffers: "1GB", max_wal_size: "8GB" });
  try {
    const { sql } = cluster;
    const userId = await addPool(sql, KEYS);
    await fill(sql, userId, OLD_ROWS, "60 days", "31 days");
    await fill(sql, userId, YOUNG_ROWS, "29 days", "0 days");
    await sql`vacuum analyze`;
    process.stderr.write(`made ${OLD_ROWS + YOUNG_ROWS} log rows\n`);
    const found = await alternate(cluster, userId);
    print(found.alone, found.pruning, found.batches);
    await boundedCalls(sql);
    console.log(await books(sql));
  } finally {
    await cluster.stop();
  }
}

/** Adds reported leases of all keys, evenly spread over a time and in the order of time, as real calls would have inserted them. */
async function fill(
  sql: postgres.Sql,
  userId: string,
  rows: number,
  from: string,
  to: string,
): Promise<void> {
  await sql`
    insert into public.api_key_usage_log
      (user_api_key_id, user_id, key_generation, issued_at, reported_at, outcome, effect, state_before, state_after, consecutive_failures)
    select pool.ids[1 + i % cardinality(pool.ids)], ${userId}, 1, at, at + interval '1 second', 'success', 'none', 'available', 'available', 0
    from (select array_agg(id) as ids from public.user_api_keys where user_id = ${userId}) pool,
      generate_series(1, ${rows}::int) i,
      lateral (select now() - ${from}::interval + (${from}::interval - ${to}::interval) * (i::float8 / ${rows}) as at) moment`;
  await sql`
    update public.user_api_keys k
    set usage_count = (select count(*) from public.api_key_usage_log l where l.user_api_key_id = k.id)
    where k.user_id = ${userId}`;
}

/** Runs windows with and without the pruner in turns, until nothing is left to prune. */
async function alternate(cluster: Cluster, userId: string) {
  const callers = await cluster.callers(CALLERS);
  const [pruner] = await cluster.callers(1);
  const alone: Felt = { lease: [], report: [] };
  const pruning: Felt = { lease: [], report: [] };
  const batches: number[] = [];
  let pruned = 0;
  for (let done = false; !done; ) {
    await window(callers, userId, alone);
    const end = performance.now() + WINDOW_MS;
    const prune = async () => {
      while (performance.now() < end && !done) {
        const started = performance.now();
        const [row] = await (pruner as postgres.Sql)`select public.prune_api_key_usage_log() as rows`;
        batches.push(performance.now() - started);
        pruned += row?.rows;
        done = pruned >= OLD_ROWS;
      }
    };
    await Promise.all([window(callers, userId, pruning), prune()]);
    process.stderr.write(`pruned ${pruned} of ${OLD_ROWS}\n`);
  }
  return { alone, pruning, batches };
}

/** Lets callers lease and report for the length of a window. */
async function window(callers: postgres.Sql[], userId: string, felt: Felt): Promise<void> {
  const end = performance.now() + WINDOW_MS;
  await Promise.all(
    callers.map(async (sql) => {
      while (performance.now() < end) {
        const asked = performance.now();
        const id = await takeLease(sql, userId);
        const taken = performance.now();
        await sql`select public.report_api_key(user_id => ${userId}, lease_id => ${id}, report => '{"outcome": "success", "rule": "success"}')`;
        felt.lease.push(taken - asked);
        felt.report.push(performance.now() - taken);
      }
    }),
  );
}

function print(alone: Felt, pruning: Felt, batches: number[]): void {
  console.table(
    (["lease", "report"] as const).map((call) => {
      const [without, beside] = [alone[call], pruning[call]];
      const row: Record<string, string> = { call: call === "lease" ? "lease" : "report" };
      for (const q of [0.5, 0.99]) {
        row[`p${q * 100} without`] = quantile(without, q).toFixed(2);
        row[`p${q * 100} ratio`] = (quantile(beside, q) / quantile(without, q)).toFixed(2);
      }
      row["calls ratio"] = (beside.length / without.length).toFixed(2);
      row["longest without"] = Math.max(...without.slice(-100_000)).toFixed(0);
      row["longest beside"] = Math.max(...beside.slice(-100_000)).toFixed(0);
      return row;
    }),
  );
  const tenth = Math.ceil(batches.length / 10);
  const total = batches.reduce((sum, each) => sum + each, 0) / 1_000;
  console.log(
    `Milliseconds; ${CALLERS} callers, ${KEYS} keys, windows of ${WINDOW_MS / 1_000} s with and without a pruner in turns. ` +
      `${OLD_ROWS} rows pruned beside the callers in ${total.toFixed(1)} s, ${batches.length} batches; ` +
      `last tenth of the batches against the first: ${(median(batches.slice(-tenth)) / median(batches.slice(0, tenth))).toFixed(2)}.`,
  );
}

/** Measures a pruning call of the scheduler that finds no old row. It reads at most 4,096 pages, so its time does not grow with the log. */
async function boundedCalls(sql: postgres.Sql): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < 10; i += 1) {
    const started = performance.now();
    await sql`select public.prune_api_key_usage_log(batch => 50000, pages => 4096)`;
    times.push(performance.now() - started);
  }
  console.log(`A scheduled call that finds nothing: ${median(times).toFixed(0)} ms.`);
}

function quantile(values: number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * q)] ?? Number.NaN;
}

async function books(sql: postgres.Sql): Promise<string> {
  const [row] = await sql`
    select sum(k.usage_count)::float8 as counted, (select count(*) from public.api_key_usage_log)::float8 as logged
    from public.user_api_keys k`;
  return `Counted leases less log rows: ${row?.counted - row?.logged}, of which pruned: ${OLD_ROWS}.`;
}
