import type postgres from "postgres";
import { addPool, median, startCluster } from "./cluster.ts";

const SIZES = [100, 10_000, 1_000_000];
const CALLS = 400;
const ROUNDS = 5;

/** Time of one hand-out, one caller, by the size of the pool and the share of it that is cooling. */
export async function benchGrowth(): Promise<void> {
  const cluster = await startCluster({
    shared_buffers: "1GB",
    checkpoint_timeout: "1h",
    max_wal_size: "16GB",
  });
  try {
    const { sql } = cluster;
    const pools: { size: number; userId: string }[] = [];
    for (const size of SIZES) {
      pools.push({ size, userId: await addPool(sql, size) });
      process.stderr.write(`made ${size} keys\n`);
    }
    const table = [];
    for (const percent of [0, 50, 99]) {
      for (const { userId } of pools) await cool(sql, userId, percent);
      await sql`vacuum analyze public.user_api_keys`;
      await sql`checkpoint`;
      for (const { userId } of pools) await times(sql, userId);
      const found = new Map<number, number[]>(SIZES.map((size) => [size, []]));
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const { size, userId } of pools) found.get(size)?.push(median(await times(sql, userId)));
      }
      const base = median(found.get(100) ?? []);
      for (const [size, values] of found) {
        const p50 = median(values);
        table.push({
          "cooling %": percent,
          keys: size,
          "p50 ms": p50.toFixed(3),
          ratio: (p50 / base).toFixed(2),
          met: p50 <= 1.5 * base,
        });
      }
      process.stderr.write(`${percent} % cooling\n`);
    }
    console.table(table);
    console.log(
      `One caller; medians of ${ROUNDS} interleaved rounds of ${CALLS} calls; ratio to 100 keys, target at most 1.5.`,
    );
  } finally {
    await cluster.stop();
  }
}

/** Blocks part of a pool for an hour: the copy alone, which is all that the selector reads. */
async function cool(sql: postgres.Sql, userId: string, percent: number): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      update public.user_api_keys set cooling_until = clock_timestamp() + interval '1 hour'
      where user_id = ${userId} and abs(hashtext(id::text)) % 100 < ${percent} and cooling_until is null`;
  });
}

async function times(sql: postgres.Sql, userId: string): Promise<number[]> {
  const measured: number[] = [];
  for (let i = 0; i < CALLS; i += 1) {
    const started = performance.now();
    await sql`select public.lease_api_key(user_id => ${userId}, live_kids => '{bench}')`;
    measured.push(performance.now() - started);
  }
  return measured;
}
