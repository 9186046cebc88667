import type postgres from "postgres";
import { type Line, writeChart } from "./chart.ts";
import {
  addPool,
  type Cluster,
  callWithRetries,
  keysOf,
  median,
  pick,
  rate,
  startCluster,
} from "./cluster.ts";

/** The least work that leaves the same rows as a lease: increment the count of a known key by primary key, and insert its log row. */
export const REFERENCE = `
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

function listOf(name: string): number[] | undefined {
  const list = process.env[name]?.split(",").map(Number);
  if (list?.every((number) => Number.isInteger(number) && number > 0) === false)
    throw new Error(`${name} takes numbers such as 1,16`);
  return list;
}

const SIZES = listOf("BENCH_KEYS") ?? [1, 10, 1000];
const CALLERS = listOf("BENCH_CALLERS") ?? [1, 16, 64];
/** The bench has many short rounds and compares each with its neighbour, because the load of the machine changes with time. */
const ROUNDS = 41;
const SECONDS = 0.35;

interface Pool {
  userId: string;
  keys: string[];
}

/** Leases a key of a pool like get-active-key; returns the id of the lease, or null when there is no key. */
export async function takeLease(
  sql: postgres.Sql,
  userId: string,
  model: string | null = null,
): Promise<string | null> {
  const [row] = await callWithRetries(
    (attempt) => sql<{ lease: { lease_id?: string; kind: string } }[]>`
      select public.lease_api_key(user_id => ${userId}, live_kids => '{bench}', attempt => ${attempt}, model => ${model}) as lease`,
    ([answer]) => answer?.lease.kind !== "retry",
  );
  return row?.lease.lease_id ?? null;
}

/**
 * Measures leases per second as a ratio to the reference. Both run in turns on one server, and the median of the rounds is reported. Each
 * has its own pool. In a common pool, the reference would raise the use counts of random keys, and the leases would have to even them out.
 */
export async function benchLeases(): Promise<void> {
  const cluster = await startCluster();
  try {
    const { sql } = cluster;
    await sql.unsafe(REFERENCE);
    const pools = new Map<number, [reference: Pool, ours: Pool]>();
    const addOne = async (size: number): Promise<Pool> => {
      const userId = await addPool(sql, size);
      return { userId, keys: await keysOf(sql, userId) };
    };
    for (const size of SIZES) pools.set(size, [await addOne(size), await addOne(size)]);
    await sql`vacuum analyze`;
    const table = [];
    const models = [];
    for (const [size, both] of pools) {
      for (const count of CALLERS) {
        table.push(await cell(cluster, both, size, count));
        if (size > 1) models.push(await modelCell(cluster, size, count));
        process.stderr.write(`keys: ${size} keys, ${count} callers\n`);
      }
    }
    console.table(table);
    console.table(models);
    console.log(
      `Leases a second; medians of ${ROUNDS} interleaved rounds of ${SECONDS} s, ${process.version}.`,
    );
    console.log(await books(sql));
    // There is no chart if only a part of the cases was measured.
    if (process.env.BENCH_KEYS || process.env.BENCH_CALLERS) return;
    await writeChart("benchmarks/throughput.svg", {
      title: "Leases and the reference",
      x: "callers",
      y: "a second",
      ticks: CALLERS,
      lines: linesOf(table),
    });
  } finally {
    await cluster.stop();
  }
}

function linesOf(table: Awaited<ReturnType<typeof cell>>[]): Line[] {
  return SIZES.flatMap((size, colour) => {
    const rows = table.filter(({ keys }) => keys === size);
    const keys = `${size.toLocaleString("en")} ${size === 1 ? "key" : "keys"}`;
    return [
      {
        name: `reference, ${keys}`,
        points: rows.map((row): [number, number] => [row.callers, row.reference]),
        colour,
        dashed: true,
      },
      {
        name: `leases, ${keys}`,
        points: rows.map((row): [number, number] => [row.callers, row.leases]),
        colour,
      },
    ];
  });
}

async function cell(cluster: Cluster, [theirs, ours]: [Pool, Pool], keys: number, count: number) {
  const callers = await cluster.callers(count);
  const reference: number[] = [];
  const leaseTimes: number[] = [];
  let none = 0;
  const timeReference = () =>
    rate(
      callers,
      SECONDS,
      (sql) => sql`select public.bench_reference(${pick(theirs.keys)}, ${theirs.userId})`,
    );
  const timeLeases = () =>
    rate(callers, SECONDS, async (sql) => {
      if ((await takeLease(sql, ours.userId)) === null) none += 1;
    });
  for (let round = 0; round < ROUNDS; round += 1) {
    // The reference and the leases take turns in going first, because the one that goes first leaves caches, buffers and dead rows to the
    // other.
    if (round % 2 === 0) reference.push(await timeReference());
    leaseTimes.push(await timeLeases());
    if (round % 2 === 1) reference.push(await timeReference());
  }
  await Promise.all(callers.map((sql) => sql.end()));
  // Compare times of the same round, because the load of the machine changes with time.
  const ratio = median(leaseTimes.map((each, round) => each / (reference[round] as number)));
  const least = keys === 1000 && count > 1 ? 0.65 : 0.8;
  return {
    keys,
    callers: count,
    reference: Math.round(median(reference)),
    leases: Math.round(median(leaseTimes)),
    ratio: ratio.toFixed(2),
    least,
    met: ratio >= least,
    "false none": none,
  };
}

/**
 * Compares leases for a model with leases without a model, in pools without blocks. Then it compares a pool in which nearly all keys are
 * limited for the model with a pool in which as many keys are cooling, and a pool in which all keys are limited with one in which all are
 * cooling.
 */
async function modelCell(cluster: Cluster, keys: number, count: number) {
  const { sql } = cluster;
  const pool = async (stopped: number, table?: "api_key_health" | "api_key_model_health") => {
    const userId = await addPool(sql, keys);
    const ids = (await keysOf(sql, userId)).slice(0, stopped);
    if (table === "api_key_health")
      await sql`update public.api_key_health set blocked_until = now() + interval '1 day' where user_api_key_id = any(${ids})`;
    if (table === "api_key_model_health")
      await sql`insert into public.api_key_model_health (user_api_key_id, model, blocked_until)
        select id, 'pro', now() + interval '1 day' from unnest(${ids}::uuid[]) id`;
    return userId;
  };
  const most = Math.min(keys - 1, Math.floor(keys * 0.99));
  const calls: [name: string, userId: string, model: string | null][] = [
    ["none", await pool(0), null],
    ["model", await pool(0), "pro"],
    ["cooling", await pool(most, "api_key_health"), null],
    ["limited", await pool(most, "api_key_model_health"), "pro"],
    ["all cool", await pool(keys, "api_key_health"), null],
    ["all limited", await pool(keys, "api_key_model_health"), "pro"],
  ];
  await sql`vacuum analyze`;
  const callers = await cluster.callers(count);
  const times = new Map<string, number[]>(calls.map(([name]) => [name, []]));
  for (let round = 0; round < ROUNDS / 2; round += 1)
    for (const [name, userId, model] of round % 2 === 0 ? calls : calls.toReversed())
      times.get(name)?.push(await rate(callers, SECONDS, (caller) => takeLease(caller, userId, model)));
  await Promise.all(callers.map((caller) => caller.end()));
  const ratio = (name: string, to: string) =>
    median((times.get(name) ?? []).map((each, i) => each / (times.get(to)?.[i] as number))).toFixed(2);
  return {
    keys,
    callers: count,
    leases: Math.round(median(times.get("none") ?? [])),
    "with a model": ratio("model", "none"),
    [`${most} limited / cooling`]: ratio("limited", "cooling"),
    "all limited / cooling": ratio("all limited", "all cool"),
  };
}

/** Checks that every use count agrees with the log. The reference also writes both, so its keys are checked, too. */
async function books(sql: postgres.Sql): Promise<string> {
  const [row] = await sql`
    select count(*)::int as wrong from public.user_api_keys k
    where k.usage_count - k.skipped_count <> (select count(*) from public.api_key_usage_log l where l.user_api_key_id = k.id)`;
  return `keys whose usage_count - skipped_count is not the number of their log rows: ${row?.wrong}`;
}
