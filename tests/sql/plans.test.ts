import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../support/database.ts";
import { addKey, envelope, makeUser, pair, report, tryLease } from "../support/keys.ts";

/* What the planner knows when a call is planned: a large pool, nearly all of it cooling, and statistics that say so. */

let db: Clone;
let large: string;
beforeAll(async () => {
  db = await cloneDatabase();
  large = await makePool(20_000, 2);
  await makePool(100, 1);
  await db.sql`analyze public.user_api_keys`;
});
afterAll(() => db.drop());

/** A pool of keys that cool for an hour, but for so many. */
async function makePool(size: number, ready: number): Promise<string> {
  const userId = await makeUser(db.sql);
  await db.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into user_api_keys (user_id, key_name, api_key_encrypted, cooling_until)
      select ${userId}, 'key ' || i, ${envelope(pair.kid)},
        case when i > ${ready}::int then clock_timestamp() + interval '1 hour' end
      from generate_series(1, ${size}::int) i`;
    await tx`insert into api_key_health (user_api_key_id) select id from user_api_keys where user_id = ${userId}`;
    await tx`select private.rebuild_tiers(${userId})`;
  });
  return userId;
}

/** More than any call here has to read: a large pool, read through some index. */
const MANY = 1_000;

/** How many rows of the keys, or of another table, were read from end to end by what is done here, in whatever order. */
async function rowsScanned(
  work: (sql: Clone["sql"]) => Promise<unknown>,
  table = "public.user_api_keys",
): Promise<number> {
  return db.sql.begin(async (tx) => {
    // What this connection did before may still be waiting to be counted.
    const read = async () => {
      const [row] = await tx<{ whole: number; by_index: number }[]>`
        select seq_tup_read::int as whole, idx_tup_fetch::int as by_index
        from pg_stat_xact_user_tables where relid = ${table}::regclass`;
      return row ?? { whole: 0, by_index: 0 };
    };
    const before = await read();
    await work(tx as never);
    const after = await read();
    const byIndex = after.by_index - before.by_index;
    return after.whole - before.whole + (byIndex > MANY ? byIndex : 0);
  });
}

test("a hand-out reads no table from end to end: of the large pool, of a small one beside it, of one with none ready", async () => {
  const small = await makePool(100, 1);
  const none = await makePool(100, 0);
  for (const [userId, leased] of [
    [large, true],
    [small, true],
    [none, false],
  ] as const) {
    expect(await rowsScanned(async (sql) => expect((await tryLease(sql, userId)).leased).toBe(leased))).toBe(
      0,
    );
  }
});

test("nor does a report", async () => {
  const userId = await makeUser(db.sql);
  const keyId = await addKey(db.sql, userId);
  expect(await rowsScanned((sql) => report(sql, userId, { keyId }))).toBe(0);
});

test("nor does a hand-out read the tiers of other pools, be they few", async () => {
  await db.sql`analyze private.api_key_tiers`;
  const scanned = await rowsScanned(
    async (sql) => expect((await tryLease(sql, large)).leased).toBe(true),
    "private.api_key_tiers",
  );
  expect(scanned).toBe(0);
});
