import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  addKey,
  lease,
  makeUser,
  passPoolTime,
  raiseLowWaterMarks,
  report,
  tryLease,
} from "../../support/keys.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { until } from "../../support/until.ts";

const ROUNDS = LONG_TESTS ? 100 : 20;

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 6);
});
afterAll(() => db.drop());

const tierOf = async (userId: string) => {
  const [tier] =
    await db.sql`select * from private.api_key_tiers where user_id = ${userId} order by priority desc`;
  return tier as { priority: number; low_water_count: string; low_water_id: string };
};
const raise = (userId: string) => raiseLowWaterMarks(db.sql, userId);
const block = (userId: string, seconds: number) => db.sql`
  update api_key_health h set blocked_until = clock_timestamp() + make_interval(secs => ${seconds})
  from user_api_keys k where k.id = h.user_api_key_id and k.user_id = ${userId}`;

describe("the low-water mark of a tier", () => {
  test("rises to the first key that is still there, and leases go on from it in order", async () => {
    const userId = await makeUser(db.sql);
    for (let i = 0; i < 3; i += 1) await addKey(db.sql, userId);
    for (let i = 0; i < 30; i += 1) await lease(service, userId);
    await raise(userId);
    expect((await tierOf(userId)).low_water_count).toBe("10");
    for (let i = 0; i < 4; i += 1) await lease(service, userId);
    const counts =
      await db.sql`select usage_count::int as n from user_api_keys where user_id = ${userId} order by n`;
    expect(counts.map(({ n }) => n)).toEqual([11, 11, 12]);
  });

  test("is not raised past a key that is joining, and is raised once that is committed", async () => {
    const userId = await makeUser(db.sql);
    const keyId = await addKey(db.sql, userId, { usageCount: 1000 });
    // Raise the count as two leases would; real leases sometimes raise the low-water mark themselves.
    await db.sql`update user_api_keys set usage_count = 1002 where id = ${keyId}`;
    await db.sql.begin(async (tx) => {
      await addKey(tx as never, userId, { usageCount: 1001 });
      await raise(userId);
      expect(await tierOf(userId)).toMatchObject({ low_water_count: "1000" });
    });
    await raise(userId);
    expect(await tierOf(userId)).toMatchObject({ low_water_count: "1001" });
  });

  test("rows that came in without their triggers are found all the same", async () => {
    const userId = await makeUser(db.sql);
    const keyId = await addKey(db.sql, userId);
    await db.sql`delete from private.api_key_tiers where user_id = ${userId}`;
    expect((await lease(service, userId)).key_id).toBe(keyId);
    await db.sql`update private.api_key_tiers set low_water_count = 99 where user_id = ${userId}`;
    expect((await lease(service, userId)).key_id).toBe(keyId);
  });

  test.each([
    [
      "a lower count typed by an operator",
      (id: string) => db.sql`update user_api_keys set usage_count = 5 where id = ${id}`,
    ],
    [
      "re-enabling with a lower count",
      async (id: string) => {
        await db.sql`update user_api_keys set is_active = false where id = ${id}`;
        await db.sql`update user_api_keys set is_active = true, usage_count = 5 where id = ${id}`;
      },
    ],
    [
      "moving to another priority and back with a lower count",
      async (id: string) => {
        await db.sql`update user_api_keys set priority = -1 where id = ${id}`;
        await db.sql`update user_api_keys set priority = 0, usage_count = 5 where id = ${id}`;
      },
    ],
  ])("comes down with %s: that key is next", async (_, edit) => {
    const userId = await makeUser(db.sql);
    const keys = [
      await addKey(db.sql, userId, { usageCount: 50 }),
      await addKey(db.sql, userId, { usageCount: 60 }),
    ];
    await raise(userId);
    await edit(keys[1] ?? "");
    expect((await lease(service, userId)).key_id).toBe(keys[1]);
  });
});

describe("keys whose block is over", () => {
  test("of one tier, all at once: the least used comes first, whichever block ended first", async () => {
    const userId = await makeUser(db.sql);
    const keys: string[] = [];
    for (let i = 0; i < 10; i += 1) keys.push(await addKey(db.sql, userId, { usageCount: 100 - i }));
    for (const [i, id] of keys.entries()) {
      await db.sql`update api_key_health set blocked_until = clock_timestamp() + make_interval(secs => ${60 + i}) where user_api_key_id = ${id}`;
    }
    expect(await tryLease(service, userId)).toMatchObject({ kind: "none", cooling_down: 10 });
    await passPoolTime(db.sql, userId, 90);
    expect((await lease(service, userId)).key_id).toBe(keys[9]);
  });

  test("more than one batch at once in two tiers: the upper tier serves alone, every key of it in turn, and nobody hears none", async () => {
    const userId = await makeUser(db.sql);
    await db.sql`
      insert into user_api_keys (user_id, key_name, api_key_encrypted, priority)
      select ${userId}, 'k' || i, (select api_key_encrypted from user_api_keys limit 1), i % 2 from generate_series(1, 200) i`;
    await block(userId, 60);
    await passPoolTime(db.sql, userId, 61);
    let leases = 0;
    const served = () => db.sql`
      select priority, count(*) filter (where usage_count > skipped_count)::int as keys, sum(usage_count - skipped_count)::int as used
      from user_api_keys where user_id = ${userId} group by priority order by priority desc`;
    // Keys become ready in batches, and a slow batch postpones the next one, so lease until all 100 keys of the upper tier have served.
    await until(async () => {
      await Promise.all(Array.from({ length: 200 }, () => lease(service, userId)));
      leases += 200;
      return (await served())[0]?.keys === 100;
    });
    expect(await served()).toMatchObject([
      { priority: 1, keys: 100, used: leases },
      { priority: 0, keys: 0, used: 0 },
    ]);
  });

  test("making a key ready keeps the operator's values: updated_at and generation stay", async () => {
    const userId = await makeUser(db.sql);
    const id = await addKey(db.sql, userId);
    const { lease_id: leaseId } = await lease(service, userId);
    await report(service, userId, { leaseId, code: 429 });
    const before = await db.sql`select updated_at, generation from user_api_keys where id = ${id}`;
    await passPoolTime(db.sql, userId, 40);
    await lease(service, userId);
    expect(await db.sql`select updated_at, generation from user_api_keys where id = ${id}`).toEqual(before);
  });
});

test.each([
  ["", ""],
  [", when nobody looks for such keys at the moment", "1 hour"],
])(
  "a key that another call makes ready at this moment is not skipped for a lower tier%s",
  async (_, putOff) => {
    const userId = await makeUser(db.sql);
    const top = await addKey(db.sql, userId, { priority: 2 });
    await addKey(db.sql, userId, { priority: 1 });
    for (let round = 0; round < ROUNDS; round += 1) {
      await db.sql`update api_key_health set blocked_until = clock_timestamp() + interval '1 hour' where user_api_key_id = ${top}`;
      await passPoolTime(db.sql, userId, 3601);
      if (putOff !== "")
        await db.sql`update private.api_key_tiers set next_expiry_check_at = clock_timestamp() + ${putOff}::interval where user_id = ${userId}`;
      const leases = await Promise.all(Array.from({ length: 6 }, () => lease(service, userId)));
      expect(leases.map(({ key_id }) => key_id)).toEqual(Array(6).fill(top));
    }
  },
);
