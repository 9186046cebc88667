import type postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  addKey,
  askOnce,
  lease,
  makeUser,
  passPoolTime,
  raiseLowWaterMarks,
  report,
  tryLease,
} from "../../support/keys.ts";
import { during } from "../../support/waits.ts";

/* Tests when a tier is searched for expired blocks. A key that waits for this search may lose only its place in the order. */

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 8);
});
afterAll(() => db.drop());

const HALF_A_SECOND = 0.5;

/** Raises the low-water marks. Returns the seconds from the beginning of this call to the next check for expired blocks. */
async function afterRaising(userId: string): Promise<number> {
  const [before] = await db.sql<{ at: string }[]>`select clock_timestamp()::text as at`;
  await raiseLowWaterMarks(db.sql, userId);
  const [row] = await db.sql<{ seconds: number }[]>`
    select extract(epoch from next_expiry_check_at - ${before?.at ?? ""}::timestamptz)::float8 as seconds
    from private.api_key_tiers where user_id = ${userId} order by priority desc`;
  return row?.seconds ?? Number.NaN;
}

/** Sets the time of the next check for expired blocks. */
const postponeCheck = (userId: string, seconds: number) => db.sql`
  update private.api_key_tiers set next_expiry_check_at = clock_timestamp() + make_interval(secs => ${seconds}) where user_id = ${userId}`;

const block = (keyId: string, seconds: number) => db.sql`
  update api_key_health set blocked_until = clock_timestamp() + make_interval(secs => ${seconds}) where user_api_key_id = ${keyId}`;

/** Blocks keys and lets the blocks end. No lease runs meanwhile, so the keys are not marked as ready again yet. */
async function blockAndPass(userId: string, ...keyIds: string[]): Promise<void> {
  for (const keyId of keyIds) await block(keyId, 60);
  await passPoolTime(db.sql, userId, 61);
}

test("the next look is half a second ahead where nothing is blocked, or is for long", async () => {
  const userId = await makeUser(db.sql);
  await addKey(db.sql, userId);
  const blocked = await addKey(db.sql, userId);
  for (let i = 0; i < 2; i += 1) {
    const seconds = await afterRaising(userId);
    expect(seconds).toBeGreaterThanOrEqual(HALF_A_SECOND);
    // The two times are read one after the other, on a slow machine seconds apart, so up to 20 s more are allowed.
    expect(seconds).toBeLessThan(HALF_A_SECOND + 20);
    await block(blocked, 3600);
  }
});

test("until the next look a key whose block is over leaves its place to those that are ready", async () => {
  const userId = await makeUser(db.sql);
  const [first, second] = [await addKey(db.sql, userId), await addKey(db.sql, userId)];
  for (let i = 0; i < 3; i += 1) {
    // One lease in 64 checks for expired blocks even before the check is due, so block the key again in each round.
    await blockAndPass(userId, first);
    await postponeCheck(userId, 3600);
    expect((await lease(service, userId)).key_id).toBe(second);
  }
  await postponeCheck(userId, 0);
  await lease(service, userId);
  await lease(service, userId);
  // The first key came back with the use count of the second key, 3. Since then each key was leased once.
  expect(
    await db.sql`select id, usage_count::int - 3 as more from user_api_keys where user_id = ${userId} order by id`,
  ).toEqual([first, second].sort().map((id) => ({ id, more: 1 })));
});

test("but its tier has its turn, whenever the next look is", async () => {
  const userId = await makeUser(db.sql);
  const upper = [
    await addKey(db.sql, userId, { priority: 2 }),
    await addKey(db.sql, userId, { priority: 2, provider: "mine" }),
    await addKey(db.sql, userId, { priority: 2, provider: "other" }),
  ];
  await addKey(db.sql, userId, { priority: 1 });
  await blockAndPass(userId, ...upper);
  for (let i = 0; i < 9; i += 1) {
    await postponeCheck(userId, 3600);
    expect(upper).toContain((await lease(service, userId)).key_id);
    if (i % 3 === 2) await blockAndPass(userId, ...upper);
  }
});

test("and so for a provider of which the tier has no ready key", async () => {
  const userId = await makeUser(db.sql);
  const mine = await addKey(db.sql, userId, { priority: 2, provider: "mine" });
  await addKey(db.sql, userId, { priority: 2, provider: "other" });
  await addKey(db.sql, userId, { priority: 1 });
  await blockAndPass(userId, mine);
  await postponeCheck(userId, 3600);
  expect((await lease(service, userId, { provider: "mine" })).key_id).toBe(mine);
});

test("a pool of one key serves it as soon as its block is over", async () => {
  const userId = await makeUser(db.sql);
  const keyId = await addKey(db.sql, userId);
  const { lease_id: leaseId } = await lease(service, userId);
  await report(service, userId, { leaseId, code: 429, retryAfter: 30 });
  await postponeCheck(userId, 3600);
  expect(await tryLease(service, userId)).toMatchObject({ kind: "none", cooling_down: 1 });
  await passPoolTime(db.sql, userId, 31);
  await postponeCheck(userId, 3600);
  expect((await lease(service, userId)).key_id).toBe(keyId);
});

test("the only key, over and held by somebody: the caller waits for it", async () => {
  const userId = await makeUser(db.sql);
  const keyId = await addKey(db.sql, userId, { priority: 2 });
  await addKey(db.sql, userId, { priority: 1 });
  await blockAndPass(userId, keyId);
  await postponeCheck(userId, 3600);
  const hold = (tx: postgres.ISql) => tx`select from user_api_keys where id = ${keyId} for update`;
  expect(await during(db.sql, hold, () => tryLease(service, userId))).toMatchObject({ key_id: keyId });
});

test("a block that an operator moves into the past is over at once, and the key has its place", async () => {
  const userId = await makeUser(db.sql);
  const [first, second] = [await addKey(db.sql, userId), await addKey(db.sql, userId)];
  await block(first, 3600);
  for (let i = 0; i < 3; i += 1) expect((await lease(service, userId)).key_id).toBe(second);
  await postponeCheck(userId, 3600);
  await block(first, -1);
  const [key] =
    await db.sql`select is_ready, usage_count::int as count from user_api_keys where id = ${first}`;
  expect(key).toEqual({ is_ready: true, count: 3 });
});

test("a key whose block is over and that is moved to another priority has its place there at once", async () => {
  const userId = await makeUser(db.sql);
  await addKey(db.sql, userId, { priority: 1, usageCount: 3 });
  const moved = await addKey(db.sql, userId, { usageCount: 9 });
  await blockAndPass(userId, moved);
  await postponeCheck(userId, 3600);
  await db.sql`update user_api_keys set priority = 1, usage_count = 1 where id = ${moved}`;
  expect((await lease(service, userId)).key_id).toBe(moved);
});

test("an edit that does not move a key leaves its expired block to the next lease", async () => {
  const userId = await makeUser(db.sql);
  const keyId = await addKey(db.sql, userId);
  await blockAndPass(userId, keyId);
  await db.sql`update user_api_keys set key_name = 'renamed' where id = ${keyId}`;
  expect((await db.sql`select is_ready from user_api_keys where id = ${keyId}`)[0]).toMatchObject({
    is_ready: false,
  });
});

test("who puts the next look off does not wait for somebody who is at the tier", async () => {
  const userId = await makeUser(db.sql);
  await addKey(db.sql, userId);
  await db.sql.begin(async (tx) => {
    await tx`select from private.api_key_tiers where user_id = ${userId} for no key update`;
    await db.sql.begin(async (other) => {
      await other`set local lock_timeout = '5 s'`;
      await raiseLowWaterMarks(other, userId);
    });
    expect(await askOnce(service, userId)).toMatchObject({ kind: "leased" });
  });
});

/** Makes two tiers: tier 2 has a key below the low-water mark, whose block has expired, and a cooling key; tier 1 has a ready key. */
async function expiredBelowLowWaterMark(): Promise<{
  userId: string;
  over: string;
  edit: () => Promise<void>;
}> {
  const userId = await makeUser(db.sql);
  const over = await addKey(db.sql, userId, { priority: 2, usageCount: 5 });
  const cooling = await addKey(db.sql, userId, { priority: 2, usageCount: 1000 });
  await addKey(db.sql, userId, { priority: 1 });
  const edit = async () => {
    await db.sql`update user_api_keys set usage_count = 5 where id = ${over}`;
    await db.sql`update api_key_health set blocked_until = null where user_api_key_id = ${cooling}`;
    await block(over, 60);
    await raiseLowWaterMarks(db.sql, userId);
    await block(cooling, 36_000);
    await passPoolTime(db.sql, userId, 61);
  };
  await edit();
  return { userId, over, edit };
}

test("a key below the low-water mark that becomes ready during a search is found, and no lower tier is served", async () => {
  const { userId, over } = await expiredBelowLowWaterMark();
  const answer = await during(
    db.sql,
    // This lock stops the lease in the middle of its work, where it reads keys.
    (tx) => tx`lock table user_api_keys in access exclusive mode`,
    () => askOnce(service, userId),
    (tx) => tx`select private.refresh_tier(${userId}, 2)`,
  );
  expect(answer).toMatchObject({ kind: "leased", key_id: over });
});

test("and so when several callers come just when it is over", async () => {
  const { userId, over, edit } = await expiredBelowLowWaterMark();
  for (let round = 0; round < 100; round += 1) {
    if (round > 0) await edit();
    const leases = await Promise.all(Array.from({ length: 6 }, () => lease(service, userId)));
    expect(leases.map(({ key_id }) => key_id)).toEqual(Array(6).fill(over));
  }
});

test("a report with a hint of no time does not wait for somebody who is at the tier", async () => {
  const userId = await makeUser(db.sql);
  const keyId = await addKey(db.sql, userId);
  await lease(service, userId);
  await blockAndPass(userId, keyId);
  await db.sql.begin(async (tx) => {
    await tx`select from private.api_key_tiers where user_id = ${userId} for no key update`;
    const [row] = await service`
      select public.report_api_key(
        user_id => ${userId}, key_id => ${keyId}, report => '{"outcome": "rate_limited", "rule": "escalate",
          "hint_seconds": 0.000001, "hint_cap_seconds": 60, "base_seconds": 30, "cap_seconds": 60, "reset_after_seconds": 60}'
      ) as answer`;
    expect(row?.answer).toMatchObject({ effect: "cooled" });
  });
});
