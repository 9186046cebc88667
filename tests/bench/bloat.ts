import type postgres from "postgres";
import { addPool, type Cluster, startCluster } from "./cluster.ts";

const KEYS = 100;
/** The number of leases with a report: one hour at a hundred a second, which is far more than the agents of one deployment need. */
const PAIRS = Number(process.env.BENCH_PAIRS ?? 360_000);
const CALLERS = 4;

/**
 * The number of leases, each with its report, in one call. Calls are short, because a session tells autovacuum about its changes only when
 * a call has returned.
 */
const BATCH = 100;

/** Makes leases and their reports, each in its own transaction. They run in a procedure, so that the server does not wait for a client. */
const WORK = `
  create procedure public.bench_work(pool_user_id uuid, pairs integer)
  language plpgsql as $$
  declare
    lease jsonb;
  begin
    for i in 1 .. pairs loop
      lease := public.lease_api_key(user_id => pool_user_id, live_kids => '{bench}');
      commit;
      perform public.report_api_key(
        user_id => pool_user_id, lease_id => (lease ->> 'lease_id')::uuid, report => '{"outcome": "success", "rule": "success"}'
      );
      commit;
    end loop;
  end $$`;

/** Gives the tables of the key service the default storage settings of Postgres, in place of the migrations' settings, for comparison. */
const DEFAULTS = `
  do $$
  declare
    name text;
    options text;
  begin
    for name, options in
      select c.oid::regclass::text, (select string_agg(split_part(o, '=', 1), ', ') from unnest(c.reloptions) o)
      from pg_class c
      where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and c.relkind = 'r'
        and c.relname in ('user_api_keys', 'api_key_health', 'api_key_usage_log') and c.reloptions is not null
    loop
      execute format('alter table %s reset (%s)', name, options);
    end loop;
  end $$`;

/** Measures dead rows and sizes before and after one hour of leases and reports, with and without the migrations' storage settings. */
export async function benchBloat(): Promise<void> {
  for (const [name, settings] of [
    ["settings of a table by default", DEFAULTS],
    ["settings of the migrations", "select 1"],
  ] as const) {
    // The work of an hour takes only a minute or two here, so autovacuum checks every second instead of every minute.
    const cluster = await startCluster({ autovacuum_naptime: "1s", max_wal_size: "8GB" });
    try {
      await cluster.sql.unsafe(settings);
      await hour(cluster, name);
    } finally {
      await cluster.stop();
    }
  }
}

async function hour(cluster: Cluster, name: string): Promise<void> {
  const { sql } = cluster;
  await sql.unsafe(WORK);
  const userId = await addPool(sql, KEYS);
  await sql`vacuum analyze`;
  const before = await sizes(sql);
  const callers = await cluster.callers(CALLERS);
  const started = performance.now();
  const progress = setInterval(async () => {
    const [row] = await sql`select sum(usage_count)::int as done from public.user_api_keys`;
    process.stderr.write(`bloat: ${name}, ${row?.done} of ${PAIRS}\n`);
  }, 20_000);
  await Promise.all(
    callers.map(async (own) => {
      // Waiting until commits are on disk does not change the number of dead rows, so it is switched off.
      await own`set synchronous_commit = off`;
      for (let done = 0; done < PAIRS / CALLERS; done += BATCH) {
        await own`call public.bench_work(${userId}, ${BATCH})`;
      }
    }),
  );
  clearInterval(progress);
  const took = (performance.now() - started) / 1000;
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const after = await sizes(sql);
  console.table(
    after.map((row, i) => ({
      table: row.name,
      "rows kB": `${before[i]?.heap} → ${row.heap}`,
      "indexes kB": `${before[i]?.indexes} → ${row.indexes}`,
      "dead rows": `${before[i]?.dead} → ${row.dead}`,
      "HOT updates": row.updates > 0 ? `${Math.round((100 * row.hot) / row.updates)} %` : "",
      vacuums: row.vacuums,
      analyses: row.analyses,
    })),
  );
  const [front] = await sql`
    select pg_relation_size('public.user_api_keys_selection_idx')::int / 1024 as kb`;
  console.log(
    `${name}: ${PAIRS} leases and reports on ${KEYS} keys in ${took.toFixed(0)} s; the selection index has ${front?.kb} kB.`,
  );
}

async function sizes(sql: postgres.Sql) {
  await sql`select pg_stat_force_next_flush()`;
  return sql<
    {
      name: string;
      heap: number;
      indexes: number;
      dead: number;
      hot: number;
      updates: number;
      vacuums: number;
      analyses: number;
    }[]
  >`
    select s.relname as name, pg_relation_size(s.relid)::int / 1024 as heap, pg_indexes_size(s.relid)::int / 1024 as indexes,
      s.n_dead_tup::int as dead, s.n_tup_hot_upd::int as hot, s.n_tup_upd::int as updates,
      s.autovacuum_count::int as vacuums, s.autoanalyze_count::int as analyses
    from pg_stat_user_tables s
    where s.relname in ('user_api_keys', 'api_key_health', 'api_key_usage_log', 'api_key_tiers')
    order by s.relname`;
}
