import type postgres from "postgres";
import { addPool, type Cluster, callWithRetries, keysOf, pick, rate, startCluster } from "./cluster.ts";
import { REFERENCE, takeLease } from "./leases.ts";
import { REPORT_REFERENCE } from "./reports.ts";

const CALLERS = 16;
const SECONDS = 5;

/** One kind of call to profile: a lease, a report, or one of their references. */
interface Work {
  name: string;
  call: (sql: postgres.Sql) => Promise<unknown>;
}

/**
 * Shows which parts of leases and reports take the time, beside their references: by statement (pg_stat_statements), by waits of the
 * sessions (sampled from pg_stat_activity), and by the plans of one call's statements with buffers and WAL (auto_explain). Measuring these
 * details costs time, so this bench reports no ratios.
 */
export async function benchProfile(): Promise<void> {
  const cluster = await startCluster({
    shared_preload_libraries: "pg_stat_statements",
    "pg_stat_statements.track": "all",
    max_locks_per_transaction: "256",
  });
  const { sql } = cluster;
  try {
    await sql`create extension pg_stat_statements schema extensions`;
    await sql.unsafe(REFERENCE);
    await sql.unsafe(REPORT_REFERENCE);
    for (const size of [10, 1000]) {
      const userId = await addPool(sql, size);
      await sql`vacuum analyze`;
      for (const work of await works(sql, userId)) await profile(cluster, size, work);
    }
    await plans(cluster);
  } finally {
    await cluster.stop();
  }
}

/** Returns the calls on a pool; reports use leases that are made beforehand. */
async function works(sql: postgres.Sql, userId: string): Promise<Work[]> {
  const keys = await keysOf(sql, userId);
  const leases = await sql<{ id: string; key: string }[]>`
    insert into public.api_key_usage_log (user_api_key_id, user_id, key_generation, issued_at)
    select (${keys}::uuid[])[1 + i % ${keys.length}::int], ${userId}, 1, clock_timestamp() from generate_series(1, 250000) i
    returning id, user_api_key_id as key`;
  await sql`analyze`;
  const next = () => {
    const lease = leases.pop();
    if (lease === undefined) throw new Error("the stock of leases is too small");
    return lease;
  };
  return [
    {
      name: "reference of a lease",
      call: (caller) => caller`select public.bench_reference(${pick(keys)}, ${userId})`,
    },
    { name: "lease", call: (caller) => takeLease(caller, userId) },
    {
      name: "reference of a report",
      call: (caller) => {
        const { id, key } = next();
        return caller`select public.bench_report_reference(${id}, ${key})`;
      },
    },
    {
      name: "report of a success",
      call: (caller) => {
        const { id } = next();
        return callWithRetries(
          () =>
            caller`select public.report_api_key(user_id => ${userId}, lease_id => ${id}, report => '{"outcome": "success", "rule": "success"}')`,
        );
      },
    },
  ];
}

async function profile(cluster: Cluster, size: number, { name, call }: Work): Promise<void> {
  const { sql } = cluster;
  const callers = await cluster.callers(CALLERS);
  await rate(callers, 1, call);
  await sql`select extensions.pg_stat_statements_reset()`;
  let done = false;
  const waits = new Map<string, number>();
  const sampling = (async () => {
    while (!done) {
      const seen = await sql`
        select coalesce(wait_event_type || ' ' || wait_event, 'processor') as what, count(*)::int as sessions
        from pg_stat_activity where state = 'active' and pid <> pg_backend_pid() group by 1`;
      for (const { what, sessions } of seen) waits.set(what, (waits.get(what) ?? 0) + sessions);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  const calls = (await rate(callers, SECONDS, call)) * SECONDS;
  done = true;
  await sampling;
  const statements = await sql`
    select left(regexp_replace(query, '\\s+', ' ', 'g'), 88) as statement, round(calls / ${calls}::numeric, 2) as "a call",
      round((total_exec_time * 1000 / ${calls})::numeric, 1) as "µs a call",
      round((shared_blks_hit + shared_blks_read) / ${calls}::numeric, 1) as buffers,
      round(wal_bytes / ${calls}::numeric) as "WAL bytes", round(wal_records / ${calls}::numeric, 1) as "WAL records"
    from extensions.pg_stat_statements
    where calls > ${calls}::numeric / 100 and query !~ 'pg_stat_activity|^(begin|commit)'
    order by total_exec_time desc limit 12`;
  await Promise.all(callers.map((caller) => caller.end()));
  console.log(`${name}, ${size} keys, ${CALLERS} callers: ${Math.round(calls / SECONDS)} a second`);
  console.table(statements);
  const all = [...waits.values()].reduce((sum, sessions) => sum + sessions, 0);
  const shares = [...waits].toSorted(([, a], [, b]) => b - a).slice(0, 6);
  console.log(
    `sessions at work: ${shares.map(([what, sessions]) => `${what} ${Math.round((100 * sessions) / all)} %`).join(", ")}\n`,
  );
}

/** Prints the server's plans for the statements of one lease and its report. */
async function plans(cluster: Cluster): Promise<void> {
  const { sql } = cluster;
  const userId = await addPool(sql, 1000);
  await sql`vacuum analyze`;
  const [session] = await cluster.callers(1, ({ message }) => {
    if (/^duration/.test(message ?? "")) console.log(message);
  });
  if (session === undefined) throw new Error("no connection");
  await session.unsafe(`
    load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on;
    set auto_explain.log_analyze = on; set auto_explain.log_buffers = on; set auto_explain.log_wal = on;
    set auto_explain.log_timing = off; set auto_explain.log_level = notice`);
  await session.unsafe("set client_min_messages = warning");
  // After five calls Postgres has chosen the kind of plan that it keeps for each statement in this session.
  for (let i = 0; i < 5; i += 1) await answer(session, userId);
  await session.unsafe("set client_min_messages = notice");
  console.log("The statements of one lease and of the report of its success:");
  await answer(session, userId);
  await session.end();
}

async function answer(session: postgres.Sql, userId: string): Promise<void> {
  const id = await takeLease(session, userId);
  await session`select public.report_api_key(user_id => ${userId}, lease_id => ${id}, report => '{"outcome": "success", "rule": "success"}')`;
}
