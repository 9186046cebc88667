import type postgres from "postgres";
import { writeChart } from "./chart.ts";
import { addPool, median, pick, startCluster } from "./cluster.ts";
import { takeLease } from "./leases.ts";

const SIZES = [100, 10_000, 1_000_000];
const COOLING = [0, 50, 99];
const CALLS = 300;
/** The longest time of one slice in milliseconds: a slice with slow calls ends early. */
const SLICE_MS = 2_000;
const ROUNDS = 3;
const TARGET = 1.5;
const POOLS = 10_000;
const TIERS = 5;

interface Case {
  name: string;
  /** The owners of the pools; each call leases from a random pool. */
  users: string[];
}

interface Row {
  what: string;
  "p50 ms": string;
  ratio: string;
  met: boolean;
}

/**
 * Measures the time of one lease by one caller: by the size of the pool, the share of cooling keys, the number of pools and of tiers, and
 * during recovery.
 */
export async function benchGrowth(): Promise<void> {
  const cluster = await startCluster({
    shared_buffers: "1GB",
    checkpoint_timeout: "1h",
    max_wal_size: "16GB",
  });
  try {
    const { sql } = cluster;
    const sizes: Case[] = [];
    for (const size of SIZES) {
      sizes.push({ name: `${size.toLocaleString("en")} keys`, users: [await addPool(sql, size)] });
      process.stderr.write(`growth: made ${size} keys\n`);
    }
    // The base case, a hundred keys without cooling, is measured beside each of the other sizes.
    const base: Case = { name: "100 keys, none cooling", users: [await addPool(sql, 100)] };
    const table: Row[] = [];
    const lines = [];
    for (const percent of COOLING) {
      for (const { users } of sizes) await cool(sql, users[0] ?? "", percent);
      const [measure, ...found] = await compare(sql, [base, ...sizes]);
      table.push(...rows(found, `, ${percent} % cooling`, measure?.p50));
      lines.push({
        name: `${percent} % cooling`,
        points: found.map(({ p50 }, i): [number, number] => [SIZES[i] ?? 1, p50]),
        colour: lines.length,
      });
      process.stderr.write(`growth: ${percent} % cooling\n`);
      // Half of the keys are cooling: now the blocks of all these keys end within one second.
      if (percent === 50) table.push(...(await recovery(sql, sizes, base)));
    }

    const [one = "", ...others] = await addPools(sql, POOLS, 10);
    const pools = await compare(sql, [
      { name: "1 pool of 10 keys", users: [one] },
      { name: `${POOLS.toLocaleString("en")} pools of 10 keys`, users: [one, ...others] },
    ]);
    table.push(...rows(pools, ""));
    process.stderr.write("growth: pools\n");

    const tiers: Case[] = [];
    for (const size of [100, 20_000 * TIERS]) {
      tiers.push({
        name: `${size.toLocaleString("en")} keys in ${TIERS} tiers`,
        users: [await addPool(sql, size, TIERS)],
      });
    }
    table.push(...rows(await compare(sql, tiers), ""));
    for (const { users } of tiers) await cool(sql, users[0] ?? "", 100, 1);
    table.push(...rows(await compare(sql, tiers), ", all but the lowest tier cooling"));
    process.stderr.write("growth: tiers\n");

    console.table(table);
    console.log(
      `One caller; medians of ${ROUNDS} interleaved rounds of at most ${CALLS} calls. Ratio of sizes: to ${base.name}; ` +
        `of pools and tiers: to the first of each pair. Target at most ${TARGET}.`,
    );
    await writeChart("benchmarks/growth.svg", {
      title: "Cost of one lease",
      x: "keys in the pool",
      y: "p50, milliseconds",
      ticks: SIZES,
      lines,
    });
  } finally {
    await cluster.stop();
  }
}

/** Returns the median time of a lease in each case. The cases are measured in turns. */
async function compare(sql: postgres.Sql, cases: Case[]): Promise<{ name: string; p50: number }[]> {
  await sql`vacuum analyze public.user_api_keys`;
  await sql`checkpoint`;
  const found = cases.map((): number[] => []);
  for (let round = -1; round < ROUNDS; round += 1) {
    for (const [index, { users }] of cases.entries()) {
      const p50 = median(await times(sql, users));
      if (round >= 0) found[index]?.push(p50);
    }
  }
  return cases.map(({ name }, index) => ({ name, p50: median(found[index] ?? []) }));
}

function rows(
  found: { name: string; p50: number }[],
  suffix: string,
  base = found[0]?.p50 ?? Number.NaN,
): Row[] {
  return found.map(({ name, p50 }) => ({
    what: name + suffix,
    "p50 ms": p50.toFixed(3),
    ratio: (p50 / base).toFixed(2),
    met: p50 <= TARGET * base,
  }));
}

/**
 * Blocks part of a pool for an hour, from a priority upwards. It writes only the block in the key's row, because the search for a key does
 * not read api_key_health.
 */
async function cool(sql: postgres.Sql, userId: string, percent: number, priority = 0): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      update public.user_api_keys set cooling_until = clock_timestamp() + interval '1 hour'
      where user_id = ${userId} and abs(hashtext(id::text)) % 100 < ${percent} and priority >= ${priority}
        and (cooling_until is null or cooling_until < clock_timestamp() + interval '30 minutes')`;
  });
}

/** Measures leases for three seconds. In the first of these seconds all blocks of the pool end, so many keys return during the leases. */
async function recovery(sql: postgres.Sql, cases: Case[], base: Case): Promise<Row[]> {
  const found = [];
  const measure: number[] = [];
  for (const { name, users } of cases) {
    const values: number[] = [];
    const [userId = ""] = users;
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`
        update public.user_api_keys set cooling_until = now() + interval '1 day' + random() * interval '1 second'
        where user_id = ${userId} and cooling_until is not null`;
    });
    await sql`vacuum analyze public.user_api_keys`;
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`
        update public.user_api_keys k set cooling_until = clock_timestamp() + random() * interval '1 second'
        where user_id = ${userId} and cooling_until is not null`;
    });
    const started = performance.now();
    while (performance.now() - started < 3_000) values.push(...(await times(sql, [userId], 20)));
    const [left] = await sql`
      select count(*)::int as keys from public.user_api_keys where user_id = ${userId} and cooling_until is not null`;
    process.stderr.write(`growth: recovery of ${name}, ${left?.keys} left to wake\n`);
    found.push({ name, p50: median(values) });
    measure.push(median(await times(sql, base.users)));
  }
  return rows(found, ", half of them recovering", median(measure));
}

/** Adds many small pools at once. */
async function addPools(sql: postgres.Sql, count: number, size: number): Promise<string[]> {
  const users = await sql<{ id: string }[]>`
    insert into auth.users (id) select gen_random_uuid() from generate_series(1, ${count}::int) returning id`;
  const ids = users.map(({ id }) => id);
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into public.user_api_keys (user_id, key_name, api_key_encrypted)
      select u, 'key ' || i, 'hpke.v1.bench.' || repeat('a', 43) || '.' || repeat('b', 60)
      from unnest(${ids}::uuid[]) u, generate_series(1, ${size}::int) i`;
    await tx`
      insert into public.api_key_health (user_api_key_id)
      select id from public.user_api_keys where user_id = any (${ids}::uuid[])`;
    await tx`select private.rebuild_tiers(u) from unnest(${ids}::uuid[]) u`;
  });
  return ids;
}

async function times(sql: postgres.Sql, users: string[], calls = CALLS): Promise<number[]> {
  const measured: number[] = [];
  const end = performance.now() + SLICE_MS;
  for (let i = 0; i < calls && performance.now() < end; i += 1) {
    const userId = pick(users);
    const started = performance.now();
    await takeLease(sql, userId);
    measured.push(performance.now() - started);
  }
  return measured;
}
