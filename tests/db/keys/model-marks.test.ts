import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  addKey,
  blockModel,
  lease,
  limitModel,
  makeUser,
  passPoolTime,
  tryLease,
} from "../../support/keys.ts";

/* Tests that the search for a lease with a model starts at the model mark, after the keys that are blocked for this model. */

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 4);
});
afterAll(() => db.drop());

async function makePool(size: number, options: { priority?: number; usageCount?: number } = {}) {
  const userId = await makeUser(db.sql);
  const keyIds: string[] = [];
  for (let i = 0; i < size; i += 1) keyIds.push(await addKey(db.sql, userId, options));
  return { userId, keyIds };
}

describe("the mark of a model", () => {
  const markOf = async (userId: string) =>
    (
      await db.sql`select model_marks -> 'pro' as mark from private.api_key_tiers where user_id = ${userId}`
    )[0]?.mark;

  test("is behind the blocked keys, until the first of their blocks ends", async () => {
    const { userId, keyIds } = await makePool(3);
    await db.sql`update user_api_keys set usage_count = 7 where id = ${keyIds[2] ?? ""}`;
    await limitModel(service, userId, keyIds[0] ?? "", "pro", 90);
    await limitModel(service, userId, keyIds[1] ?? "", "pro", 60);
    await db.sql`select private.raise_model_mark(${userId}, 0, 'pro')`;
    expect(await markOf(userId)).toMatchObject({ count: 7, id: keyIds[2] });
    const [row] =
      await db.sql`select blocked_until from api_key_model_health where user_api_key_id = ${keyIds[1] ?? ""}`;
    expect(new Date((await markOf(userId)).until)).toEqual(row?.blocked_until);
    // The mark passes over the blocked keys, but the answer still counts them.
    await limitModel(service, userId, keyIds[2] ?? "", "pro", 90);
    expect(await tryLease(service, userId, { model: "pro" })).toMatchObject({ kind: "none", limited: 3 });
    await passPoolTime(db.sql, userId, 61);
    expect((await lease(service, userId, { model: "pro" })).key_id).toBe(keyIds[1]);
  });

  test.each([
    ["a reset", (keyId: string) => blockModel(db.sql, keyId, null)],
    ["a block that ends earlier", (keyId: string) => blockModel(db.sql, keyId, -1)],
    [
      "a row that is deleted",
      (keyId: string) => db.sql`delete from api_key_model_health where user_api_key_id = ${keyId}`,
    ],
    ["the table being emptied", () => db.sql`truncate api_key_model_health`],
    [
      "the reset of the key",
      (keyId: string) =>
        db.sql`update api_key_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ${keyId}`,
    ],
    [
      "a new text",
      (keyId: string) =>
        db.sql`update user_api_keys set api_key_encrypted = api_key_encrypted || 'x' where id = ${keyId}`,
    ],
  ])("goes with %s: the key is leased at once", async (_, edit) => {
    const { userId, keyIds } = await makePool(2);
    const [first = "", second = ""] = keyIds;
    await db.sql`update api_key_health set consecutive_failures = 1 where user_api_key_id = ${first}`;
    await limitModel(service, userId, first, "pro", 600);
    for (let i = 0; i < 5; i += 1) await lease(service, userId, { model: "pro" });
    await db.sql`select private.raise_model_mark(${userId}, 0, 'pro')`;
    expect(await markOf(userId)).toBeDefined();
    await edit(first);
    const served = [
      await lease(service, userId, { model: "pro" }),
      await lease(service, userId, { model: "pro" }),
    ];
    expect(served.map(({ key_id }) => key_id).toSorted()).toEqual([first, second].toSorted());
  });

  test("goes with a key that becomes ready and stands before it: that key is leased next", async () => {
    const { userId, keyIds } = await makePool(3);
    const [limited = "", used = "", disabled = ""] = keyIds;
    await db.sql`update user_api_keys set is_active = false where id = ${disabled}`;
    await limitModel(service, userId, limited, "pro", 600);
    for (let i = 0; i < 5; i += 1) expect((await lease(service, userId, { model: "pro" })).key_id).toBe(used);
    await db.sql`select private.raise_model_mark(${userId}, 0, 'pro')`;
    expect(await markOf(userId)).toMatchObject({ id: used });
    // The limited key is still ready for other models, so the enabled key starts at its use count.
    await db.sql`update user_api_keys set is_active = true where id = ${disabled}`;
    expect((await lease(service, userId, { model: "pro" })).key_id).toBe(disabled);
  });

  test("is not raised past a reset that is not committed", async () => {
    const { userId, keyIds } = await makePool(2);
    await limitModel(service, userId, keyIds[0] ?? "", "pro", 600);
    await lease(service, userId, { model: "pro" });
    await db.sql.begin(async (tx) => {
      await blockModel(tx, keyIds[0] ?? "", null);
      await db.sql`select private.raise_model_mark(${userId}, 0, 'pro')`;
    });
    expect(await markOf(userId)).toBeNull();
  });
});

test("marks of very many models are bounded", async () => {
  const { userId, keyIds } = await makePool(2);
  await db.sql`
    insert into api_key_model_health (user_api_key_id, model, blocked_until)
    select id, id || ' ' || i, now() + interval '1 h' from unnest(${keyIds}::uuid[]) id, generate_series(1, 150) i`;
  for (const keyId of keyIds) {
    // Make this key the first of its tier, so that the marks pass over it.
    await db.sql`update user_api_keys set usage_count = usage_count + 100 where id <> ${keyId} and user_id = ${userId}`;
    await db.sql`
      select private.raise_model_mark(${userId}, 0, m.model) from api_key_model_health m where m.user_api_key_id = ${keyId}`;
    await db.sql`update user_api_keys set usage_count = usage_count + 1000 where id = ${keyId}`;
  }
  const [row] = await db.sql`
    select count(*)::int as marks from private.api_key_tiers t, jsonb_object_keys(t.model_marks) where t.user_id = ${userId}`;
  expect(row?.marks).toBeGreaterThan(0);
  expect(row?.marks).toBeLessThanOrEqual(200);
});
