import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  addKey,
  envelope,
  lease,
  leaseMany,
  makeUser,
  pair,
  report,
  reportMany,
  tryLease,
} from "../../support/keys.ts";

/* Tests the plans of calls in a large pool that is nearly all cooling, with statistics that say so. */

let db: Clone;
let large: string;
beforeAll(async () => {
  db = await cloneDatabase();
  large = await makePool(20_000, 2);
  await makePool(100, 1);
  await db.sql`analyze public.user_api_keys`;
});
afterAll(() => db.drop());

/** Makes a pool of keys that cool for an hour, except for `ready` of them. */
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

/** A call that reads more rows than this by an index has read the whole large pool. Making a batch of keys ready reads fewer. */
const MANY = 3_000;

/**
 * Returns the number of rows that the work reads from the tables in sequential scans. Rows that it reads by indexes are added for each
 * table where they are more than MANY.
 */
async function rowsScanned(
  work: (sql: Clone["sql"]) => Promise<unknown>,
  tables = ["user_api_keys"],
  session = db.sql,
): Promise<number> {
  return session.begin(async (tx) => {
    // Earlier work on this connection may still be in the statistics, so only the difference of two readings is used.
    const read = () => tx<{ whole: number; by_index: number }[]>`
      select seq_tup_read::int as whole, idx_tup_fetch::int as by_index
      from pg_stat_xact_user_tables where relname = any(${tables}) order by relid`;
    const before = await read();
    await work(tx as never);
    const after = await read();
    expect(after).toHaveLength(tables.length);
    return after.reduce((sum, now, i) => {
      const byIndex = now.by_index - (before[i]?.by_index ?? 0);
      return sum + now.whole - (before[i]?.whole ?? 0) + (byIndex > MANY ? byIndex : 0);
    }, 0);
  });
}

test("a lease reads no table from end to end: of the large pool, of a small one beside it, of one with none ready", async () => {
  const small = await makePool(100, 1);
  const none = await makePool(100, 0);
  for (const [userId, kind] of [
    [large, "leased"],
    [small, "leased"],
    [none, "none"],
  ] as const) {
    expect(await rowsScanned(async (sql) => expect((await tryLease(sql, userId)).kind).toBe(kind))).toBe(0);
  }
});

test("nor does a report", async () => {
  const userId = await makeUser(db.sql);
  const keyId = await addKey(db.sql, userId);
  await lease(db.sql, userId);
  expect(await rowsScanned((sql) => report(sql, userId, { keyId }))).toBe(0);
});

/**
 * Returns the number of rows that a session reads if its plans were made for few rows, and the tables now have many rows, but the old
 * statistics. It uses a database of its own.
 */
async function rowsScannedAfterGrowth(
  before: (sql: Clone["sql"], userId: string, keyIds: string[]) => Promise<unknown>,
  then: (sql: Clone["sql"], userId: string, keyIds: string[]) => Promise<unknown>,
): Promise<number> {
  const fresh = await cloneDatabase();
  try {
    const userId = await makeUser(fresh.sql);
    const keyIds: string[] = [];
    // There must be more keys than the calls below block or mark as unusable.
    for (let i = 0; i < 9; i += 1) keyIds.push(await addKey(fresh.sql, userId, { priority: i % 3 }));
    await before(fresh.sql, userId, keyIds);
    await fresh.sql`vacuum analyze`;
    const session = fresh.as("service_role", 1);
    const everyCall = async (sql: Clone["sql"], batches: number) => {
      const { lease_id: leaseId, key_id: keyId } = await lease(sql, userId);
      await report(sql, userId, { leaseId });
      await report(sql, userId, { keyId });
      const failed = await lease(sql, userId);
      await report(sql, userId, { leaseId: failed.lease_id, code: 429 });
      const { lease_id: releaseLease } = await lease(sql, userId);
      await tryLease(sql, userId, { releaseLease });
      for (let i = 0; i < batches; i += 1) {
        // Some calls find no key, because the others are cooling.
        const taken = [await leaseMany(sql, userId, 5)].flat();
        const leaseIds = taken.flatMap((answer) => (answer.kind === "leased" ? [answer.lease_id] : []));
        await reportMany(sql, userId, leaseIds);
      }
    };
    // After so many calls the session keeps plans that do not depend on the arguments.
    await everyCall(session, 6);
    await fresh.sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await then(tx as never, userId, keyIds);
    });
    // Measure one call: many calls together would read as much as one that reads everything.
    const tables = ["user_api_keys", "api_key_health", "api_key_usage_log"];
    return await rowsScanned((sql) => everyCall(sql, 1), tables, session);
  } finally {
    await fresh.drop();
  }
}
const openLeases = (sql: Clone["sql"], userId: string, keyIds: string[]) => sql`
  insert into api_key_usage_log (user_api_key_id, user_id, key_generation, issued_at)
  select (${keyIds}::uuid[])[1 + i % 9], ${userId}, 1, now() - interval '1 hour' from generate_series(1, ${4 * MANY}::int) i`;
const closedLeases = (sql: Clone["sql"], userId: string, keyIds: string[]) => sql`
  insert into api_key_usage_log (user_api_key_id, user_id, key_generation, issued_at, reported_at, outcome, effect)
  select (${keyIds}::uuid[])[1 + i % 9], ${userId}, 1, now(), now(), 'success', 'none' from generate_series(1, ${4 * MANY}::int) i`;
const smallPools = (sql: Clone["sql"]) =>
  sql.begin(async (tx) => {
    // The triggers are off, so the rows that they make are inserted here, except the hub profile of each new user.
    await tx`set local session_replication_role = replica`;
    await tx`
      with users as (insert into auth.users (id) select gen_random_uuid() from generate_series(1, 5000) returning id),
      keys as (
        insert into user_api_keys (user_id, key_name, api_key_encrypted) select id, 'alone', ${envelope()} from users returning id
      )
      insert into api_key_health (user_api_key_id) select id from keys`;
    await tx`select private.rebuild_tiers(user_id) from user_api_keys where key_name = 'alone'`;
  });
/** Adds keys that are ready, or whose blocks end in `seconds` seconds. */
const moreKeys = (seconds: number | null) => (sql: Clone["sql"], userId: string) =>
  sql`
  with keys as (
    insert into user_api_keys (user_id, key_name, api_key_encrypted, priority, cooling_until)
    select ${userId}, 'one more', ${envelope(pair.kid)}, i % 3, now() + make_interval(secs => ${seconds})
    from generate_series(1, ${4 * MANY}::int) i returning id
  ), tiers as (select private.rebuild_tiers(${userId}))
  insert into api_key_health (user_api_key_id) select keys.id from keys, tiers`;
const nothing = async () => {};

test.each([
  ["a log that was empty, and has many open leases", nothing, openLeases],
  ["a log that was empty, and has many reports", nothing, closedLeases],
  ["a log of reports, with many open leases", closedLeases, openLeases],
  ["a log of open leases, with many reports", openLeases, closedLeases],
  ["a small pool that grew", nothing, moreKeys(null)],
  ["a small pool that grew, and cools", nothing, moreKeys(3600)],
  ["a small pool that grew, and comes back", nothing, moreKeys(-1)],
  ["a large pool beside very many small ones", smallPools, moreKeys(null)],
  ["a large pool that cools beside very many small ones", smallPools, moreKeys(3600)],
])("nor is much read by a session that made its plans before: %s", async (_, before, then) => {
  expect(await rowsScannedAfterGrowth(before, then)).toBe(0);
});

test("nor does a lease read the tiers of other pools, be they few", async () => {
  await db.sql`analyze private.api_key_tiers`;
  const scanned = await rowsScanned(
    async (sql) => expect((await tryLease(sql, large)).kind).toBe("leased"),
    ["api_key_tiers"],
  );
  expect(scanned).toBe(0);
});
