import type postgres from "postgres";
import { addPool, type Cluster, median, startCluster } from "./cluster.ts";

/** Least durable work with the same result: a known key counted up by primary key, and its log row. */
const REFERENCE = `
  create function public.bench_reference(key_id uuid, user_id uuid)
  returns uuid language plpgsql set search_path = '' as $$
  declare
    lease uuid;
  begin
    update public.user_api_keys k set usage_count = k.usage_count + 1 where k.id = bench_reference.key_id;
    insert into public.api_key_usage_log (user_api_key_id, user_id, key_generation, issued_at)
    values (bench_reference.key_id, bench_reference.user_id, 1, clock_timestamp())
    returning id into lease;
    return lease;
  end $$`;

const ROUNDS = 5;
const SECONDS = 2;

interface Pool {
  userId: string;
  keys: string[];
}

/** Hand-outs a second as a ratio of the reference, interleaved on one server; medians of the rounds. */
export async function benchHandOuts(): Promise<void> {
  const cluster = await startCluster();
  try {
    const { sql } = cluster;
    await sql.unsafe(REFERENCE);
    const pools = new Map<number, Pool>();
    for (const size of [1, 10, 1000]) {
      const userId = await addPool(sql, size);
      const rows = await sql`select id from public.user_api_keys where user_id = ${userId}`;
      pools.set(size, { userId, keys: rows.map(({ id }) => id) });
    }
    await sql`vacuum analyze`;
    const table = [];
    for (const [size, pool] of pools) {
      for (const count of [1, 16, 64]) {
        table.push(await cell(cluster, pool, size, count));
        process.stderr.write(`${size} keys, ${count} callers\n`);
      }
    }
    console.table(table);
    console.log(
      `Hand-outs a second; medians of ${ROUNDS} interleaved rounds of ${SECONDS} s, ${process.version}.`,
    );
    console.log(await books(sql));
  } finally {
    await cluster.stop();
  }
}

async function cell(cluster: Cluster, pool: Pool, keys: number, count: number) {
  const callers = await cluster.callers(count);
  const reference: number[] = [];
  const ours: number[] = [];
  let none = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    reference.push(
      await rate(callers, async (sql) => {
        const key = pool.keys[Math.floor(Math.random() * pool.keys.length)] ?? "";
        await sql`select public.bench_reference(${key}, ${pool.userId})`;
      }),
    );
    ours.push(
      await rate(callers, async (sql) => {
        const [row] =
          await sql`select public.lease_api_key(user_id => ${pool.userId}, live_kids => '{bench}') ->> 'leased' as leased`;
        if (row?.leased !== "true") none += 1;
      }),
    );
  }
  await Promise.all(callers.map((sql) => sql.end()));
  const ratio = median(ours) / median(reference);
  const least = keys === 1000 && count > 1 ? 0.65 : 0.8;
  return {
    keys,
    callers: count,
    reference: Math.round(median(reference)),
    "hand-outs": Math.round(median(ours)),
    ratio: ratio.toFixed(2),
    least,
    met: ratio >= least,
    "false none": none,
  };
}

async function rate(callers: postgres.Sql[], call: (sql: postgres.Sql) => Promise<void>): Promise<number> {
  const started = performance.now();
  const end = started + SECONDS * 1000;
  let done = 0;
  await Promise.all(
    callers.map(async (sql) => {
      while (performance.now() < end) {
        await call(sql);
        done += 1;
      }
    }),
  );
  return (done * 1000) / (performance.now() - started);
}

/** The reference counts and logs too, so that every count has to agree with the log. */
async function books(sql: postgres.Sql): Promise<string> {
  const [row] = await sql`
    select count(*)::int as wrong from public.user_api_keys k
    where k.usage_count <> (select count(*) from public.api_key_usage_log l where l.user_api_key_id = k.id)`;
  return `keys whose usage_count is not the number of their log rows: ${row?.wrong}`;
}
