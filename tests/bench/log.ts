import type postgres from "postgres";
import { addPool, type Cluster, keysOf, median, pick, startCluster } from "./cluster.ts";
import { takeLease } from "./leases.ts";

const KEYS = 1_000;
const ROWS = Number(process.env.BENCH_ROWS ?? 10_000_000);
const CALLS = 300;
const ROUNDS = 7;
const TARGET = 1.5;

interface Side {
  cluster: Cluster;
  userId: string;
  keys: string[];
}

const calls = ["lease", "report", "report without a lease"] as const;

/**
 * Measures a lease, a report, and a report without a lease, in turns on two servers: one with ten million log rows, one with a row for each
 * key.
 */
export async function benchLog(): Promise<void> {
  const sides: Side[] = [];
  try {
    for (const rows of [0, ROWS]) {
      const cluster = await startCluster({
        shared_buffers: "1GB",
        max_wal_size: "16GB",
        checkpoint_timeout: "1h",
      });
      const userId = await addPool(cluster.sql, KEYS);
      sides.push({ cluster, userId, keys: await keysOf(cluster.sql, userId) });
      if (rows > 0) await fillLog(cluster.sql, userId, rows);
      await leaseEachKey(cluster.sql, userId);
      await cluster.sql`vacuum analyze`;
      await cluster.sql`checkpoint`;
      // Writing a commit to disk takes longer than the call, and its time varies between the servers, so it would hide the call's time.
      await cluster.sql`set synchronous_commit = off`;
      process.stderr.write(`log: made ${rows} rows\n`);
    }
    const found = sides.map((): Record<string, number[]> => ({}));
    for (let round = -1; round < ROUNDS; round += 1) {
      for (const [index, side] of sides.entries()) {
        const times = await measure(side);
        for (const call of calls) {
          if (round >= 0) (found[index] as Record<string, number[]>)[call] ??= [];
          if (round >= 0) found[index]?.[call]?.push(times[call]);
        }
      }
    }
    console.table(
      calls.map((call) => {
        const [small, full] = found.map((side) => median(side[call] ?? []));
        const ratio = (full as number) / (small as number);
        return {
          call,
          [`${KEYS} rows, p50 ms`]: small?.toFixed(3),
          [`${ROWS} rows, p50 ms`]: full?.toFixed(3),
          ratio: ratio.toFixed(2),
          met: ratio <= TARGET,
        };
      }),
    );
    console.log(
      `One caller, ${KEYS} keys, without waiting for the flush; medians of ${ROUNDS} interleaved rounds of ${CALLS} calls; target at most ${TARGET}.`,
    );
  } finally {
    for (const { cluster } of sides) await cluster.stop();
  }
}

/**
 * Adds leases of the last month with their reports, in the order of time. For each key, every twentieth report is a limit, and the report
 * after it is a recovery. Every 21st lease belongs to the agent. The indexes are made afterwards, which is much faster.
 */
export async function fillLog(
  sql: postgres.Sql,
  userId: string,
  rows: number,
  agentId: string | null = null,
): Promise<void> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index where indrelid = 'public.api_key_usage_log'::regclass and not indisprimary`;
  for (const { name } of indexes) await sql.unsafe(`drop index ${name}`);
  await sql.unsafe("alter table public.api_key_usage_log drop constraint api_key_usage_log_pkey");
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into public.api_key_usage_log
        (user_api_key_id, user_id, agent_id, key_generation, issued_at, reported_at, outcome, effect, state_before, state_after, consecutive_failures)
      select pool.ids[1 + i % cardinality(pool.ids)], ${userId}, case when i % 21 = 0 then ${agentId}::uuid end, 1, at, at,
        case turn when 0 then 'rate_limited' else 'success' end,
        case turn when 0 then 'cooled' when 1 then 'recovered' else 'none' end, 'available', 'available', 0
      from (select array_agg(id) as ids from public.user_api_keys where user_id = ${userId}) pool,
        generate_series(1, ${rows}::int) i,
        lateral (select now() - interval '30 days' * (1 - i::float8 / ${rows}) as at, i / cardinality(pool.ids) % 20 as turn) moment`;
  });
  await sql`set maintenance_work_mem = '1GB'`;
  await sql.unsafe(
    "alter table public.api_key_usage_log add constraint api_key_usage_log_pkey primary key (id)",
  );
  for (const { definition } of indexes) await sql.unsafe(definition);
}

/** Leases and reports each key once: a caller may report without a lease only on a key that it has leased within the last 24 hours. */
async function leaseEachKey(sql: postgres.Sql, userId: string): Promise<void> {
  for (let i = 0; i < KEYS; i += 1) await report(sql, userId, { lease_id: await takeLease(sql, userId) });
}

const report = (
  sql: postgres.Sql,
  userId: string,
  { lease_id = null, key_id = null }: { lease_id?: string | null; key_id?: string | null },
) =>
  sql`select public.report_api_key(user_id => ${userId}, lease_id => ${lease_id}, key_id => ${key_id}, report => '{"outcome": "success", "rule": "success"}')`;

async function measure({
  cluster: { sql },
  userId,
  keys,
}: Side): Promise<Record<(typeof calls)[number], number>> {
  const times: Record<(typeof calls)[number], number[]> = {
    lease: [],
    report: [],
    "report without a lease": [],
  };
  const timed = async <T>(call: (typeof calls)[number], query: () => Promise<T>): Promise<T> => {
    const started = performance.now();
    const result = await query();
    times[call].push(performance.now() - started);
    return result;
  };
  for (let i = 0; i < CALLS; i += 1) {
    const lease = await timed("lease", () => takeLease(sql, userId));
    await timed("report", () => report(sql, userId, { lease_id: lease }));
    await timed("report without a lease", () => report(sql, userId, { key_id: pick(keys) }));
  }
  return {
    lease: median(times.lease),
    report: median(times.report),
    "report without a lease": median(times["report without a lease"]),
  };
}
