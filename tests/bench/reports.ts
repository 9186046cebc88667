import type postgres from "postgres";
import { addPool, type Cluster, callWithRetries, keysOf, median, rate, startCluster } from "./cluster.ts";

const SUCCESS = {
  outcome: "success",
  error_code: "null",
  effect: "none",
  state: "available",
  blocked_until: "null",
  failures: 0,
};
const IGNORED: typeof SUCCESS = {
  outcome: "rate_limited",
  error_code: "'429'",
  effect: "ignored",
  state: "cooling_down",
  // The end of the block that the reference writes into the log row. Each key was blocked for an hour before.
  blocked_until: "at + interval '1 hour'",
  failures: 1,
};

/**
 * Returns the smallest durable work with the same result: update a known log row and a known health row, in the columns that a report sets.
 */
const leastWork = (
  name: string,
  { outcome, error_code, effect, state, blocked_until, failures }: typeof SUCCESS,
) => `
  create function public.${name}(lease_id uuid, key_id uuid)
  returns void language plpgsql set search_path = '' as $$
  declare
    at constant timestamptz := clock_timestamp();
  begin
    update public.api_key_usage_log l
    set reported_at = at, outcome = '${outcome}', error_code = ${error_code}, effect = '${effect}', state_before = '${state}',
      state_after = '${state}', blocked_until = ${blocked_until}, consecutive_failures = ${failures}
    where l.id = ${name}.lease_id;
    update public.api_key_health h
    set blocked_until = h.blocked_until, rate_blocked_until = h.rate_blocked_until, consecutive_failures = ${failures},
      recent_server_errors = '{}', last_failure_at = h.last_failure_at, reason = h.reason, reason_code = h.reason_code,
      reason_since = h.reason_since, reason_log_id = h.reason_log_id, last_reported_at = at, last_outcome = '${outcome}',
      last_error_code = ${error_code}, last_effect = '${effect}'
    where h.user_api_key_id = ${name}.key_id;
  end $$`;

export const REPORT_REFERENCE = leastWork("bench_report_reference", SUCCESS);
const FAILURE_REFERENCE = leastWork("bench_failure_reference", IGNORED);

/** Many short rounds, as in the bench of leases. */
const ROUNDS = 31;
const SECONDS = 0.3;
const TARGET = 0.8;
/** The number of leases that are prepared for each slice: more than can be reported in one slice. */
const STOCK = 5_000;
const SUCCESSES: Grid = [
  [1, [1, 16, 64]],
  [10, [16, 64]],
  [1000, [1, 16, 64]],
];
const FAILURES: Grid = [
  [1, [64]],
  [10, [16]],
  [1000, [64]],
];

type Grid = [keys: number, callers: number[]][];

interface Lease {
  id: string;
  key: string;
}

interface Pool {
  userId: string;
  keys: string[];
  model: string | null;
  /** Leases that are not reported yet. */
  leases: Lease[];
}

type Report = (sql: postgres.Sql, lease: Lease, pool: Pool) => Promise<unknown>;

const success: Report = (sql, { id }, { userId }) =>
  callWithRetries(
    () =>
      sql`select public.report_api_key(user_id => ${userId}, lease_id => ${id}, report => '{"outcome": "success", "rule": "success"}')`,
  );

const RATE_LIMITED = {
  outcome: "rate_limited",
  rule: "escalate",
  error_code: "429",
  base_seconds: 3_600,
  cap_seconds: 86_400,
  reset_after_seconds: 86_400,
};

const rateLimited: Report = (sql, { id }, { userId }) =>
  callWithRetries(
    () =>
      sql`select public.report_api_key(user_id => ${userId}, lease_id => ${id}, report => ${sql.json(RATE_LIMITED)})`,
  );

const successReference: Report = (sql, { id, key }) =>
  sql`select public.bench_report_reference(${id}, ${key})`;
const failureReference: Report = (sql, { id, key }) =>
  sql`select public.bench_failure_reference(${id}, ${key})`;

/** Measures reports per second as a ratio to the reference. Both run in turns on one server; the median of the rounds is reported. */
export async function benchReports(): Promise<void> {
  const cluster = await startCluster();
  try {
    await cluster.sql.unsafe(`${REPORT_REFERENCE};${FAILURE_REFERENCE}`);
    await grid(cluster, "success", SUCCESSES, [successReference, success]);
    await grid(cluster, "success, with a model", [[10, [16]]], [successReference, success], "pro");
    // The first 429 of each key blocks the key. All later reports of 429 belong to the same outage and are ignored.
    await grid(cluster, "429 inside a block", FAILURES, [failureReference, rateLimited]);
    await grid(
      cluster,
      "429 inside a block, with a model",
      [[10, [16]]],
      [failureReference, rateLimited],
      "pro",
    );
    console.log(
      `Reports a second; medians of ${ROUNDS} interleaved rounds of ${SECONDS} s, ${process.version}.`,
    );
    console.log(await books(cluster.sql));
  } finally {
    await cluster.stop();
  }
}

type Pair = [reference: Report, report: Report];

async function grid(
  cluster: Cluster,
  what: string,
  cells: Grid,
  pair: Pair,
  model: string | null = null,
): Promise<void> {
  const { sql } = cluster;
  const table = [];
  for (const [size, counts] of cells) {
    const userId = await addPool(sql, size);
    const pool: Pool = { userId, keys: await keysOf(sql, userId), model, leases: [] };
    await stock(sql, pool);
    if (pair[1] === rateLimited) await block(sql, pool);
    await sql`vacuum analyze`;
    for (const count of counts) {
      table.push({ report: what, ...(await cell(cluster, pool, count, pair)) });
      process.stderr.write(`reports: ${what}, ${size} keys, ${count} callers\n`);
    }
  }
  console.table(table);
}

async function cell(cluster: Cluster, pool: Pool, count: number, [reference, report]: Pair) {
  const callers = await cluster.callers(count);
  const bare: number[] = [];
  const ours: number[] = [];
  const slice = async (call: Report) => {
    await stock(cluster.sql, pool);
    return rate(callers, SECONDS, (sql) => call(sql, take(pool), pool));
  };
  for (const call of [reference, report]) await slice(call);
  for (let round = 0; round < ROUNDS; round += 1) {
    // The reference and the reports are first in turns, as in the bench of leases.
    if (round % 2 === 0) bare.push(await slice(reference));
    ours.push(await slice(report));
    if (round % 2 === 1) bare.push(await slice(reference));
  }
  await Promise.all(callers.map((sql) => sql.end()));
  // Compare times of the same round, because the load of the machine changes with time.
  const ratio = median(ours.map((each, round) => each / (bare[round] as number)));
  return {
    keys: pool.keys.length,
    callers: count,
    reference: Math.round(median(bare)),
    reports: Math.round(median(ours)),
    ratio: ratio.toFixed(2),
    least: TARGET,
    met: ratio >= TARGET,
  };
}

function take({ leases }: Pool): Lease {
  const lease = leases.pop();
  if (lease === undefined) throw new Error("the stock of leases is too small for a slice");
  return lease;
}

/** Adds open leases up to STOCK, spread over the keys. It inserts them without triggers, which is faster. */
async function stock(sql: postgres.Sql, pool: Pool): Promise<void> {
  const made = await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    return tx<Lease[]>`
      insert into public.api_key_usage_log (user_api_key_id, user_id, key_generation, issued_at, model)
      select (${pool.keys}::uuid[])[1 + i % ${pool.keys.length}::int], ${pool.userId}, 1, clock_timestamp(), ${pool.model}
      from generate_series(1, ${STOCK - pool.leases.length}::int) i
      returning id, user_api_key_id as key`;
  });
  pool.leases.push(...made);
}

/** Blocks each key, or each key's model, by a report of 429 on one of its prepared leases. */
async function block(sql: postgres.Sql, pool: Pool): Promise<void> {
  const seen = new Set<string>();
  for (const lease of pool.leases.filter(({ key }) => !seen.has(key) && seen.add(key))) {
    await rateLimited(sql, lease, pool);
    pool.leases.splice(pool.leases.indexOf(lease), 1);
  }
}

/**
 * Counts the reports in the log by outcome and effect, and the keys with more than one failure in a row. There must be no such key, because
 * only the first 429 of a key counts as a failure.
 */
async function books(sql: postgres.Sql): Promise<string> {
  const effects = await sql`
    select outcome, effect, count(*)::int as rows from public.api_key_usage_log where reported_at is not null
    group by 1, 2 order by 1, 2`;
  const [wrong] =
    await sql`select count(*)::int as keys from public.api_key_health where consecutive_failures > 1`;
  const found = effects.map(({ outcome, effect, rows }) => `${outcome} ${effect} × ${rows}`).join(", ");
  return `In the log: ${found}. Keys with more than one failure in a row: ${wrong?.keys}.`;
}
