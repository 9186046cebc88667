import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, lease, makeUser, passPoolTime, tryLease } from "../../support/keys.ts";

/*
 * Tests that a key that returns from a block gets its share from then on, without the leases that it has missed, and that the counts stay
 * right.
 */

let db: Clone;
let service: ReturnType<Clone["as"]>;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 4);
});
afterAll(() => db.drop());

const model = "pro";
const blockKey = (id: string, seconds: number) => db.sql`
  update api_key_health set blocked_until = clock_timestamp() + make_interval(secs => ${seconds}) where user_api_key_id = ${id}`;
const blockModel = (id: string, seconds: number | null) => db.sql`
  insert into api_key_model_health (user_api_key_id, model, blocked_until)
  values (${id}, ${model}, clock_timestamp() + make_interval(secs => ${seconds}))
  on conflict on constraint api_key_model_health_pkey do update set blocked_until = excluded.blocked_until`;
const setActive = (id: string, active: boolean) =>
  db.sql`update user_api_keys set is_active = ${active} where id = ${id}`;

const books = async (userId: string) =>
  (
    await db.sql`
      select count(*)::int as wrong from user_api_keys k
      where k.user_id = ${userId}
        and k.usage_count - k.skipped_count <> (select count(*) from api_key_usage_log l where l.user_api_key_id = k.id)`
  )[0]?.wrong;

test.each([
  [
    "the end of its block",
    (id: string) => blockKey(id, 60),
    (_: string, userId: string) => passPoolTime(db.sql, userId, 61),
  ],
  [
    "the reset of its block",
    (id: string) => blockKey(id, 600),
    (id: string) =>
      db.sql`update api_key_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ${id}`,
  ],
  ["an end that is moved into the past", (id: string) => blockKey(id, 600), (id: string) => blockKey(id, -1)],
  ["switching it off and on", (id: string) => setActive(id, false), (id: string) => setActive(id, true)],
  [
    "the end of its model's block",
    (id: string) => blockModel(id, 60),
    (_: string, userId: string) => passPoolTime(db.sql, userId, 61),
  ],
  [
    "the reset of its model's block",
    (id: string) => blockModel(id, 600),
    (id: string) => blockModel(id, null),
  ],
])("%s: it is leased in turn with the others", async (_, block, back) => {
  const userId = await makeUser(db.sql);
  const keyIds: string[] = [];
  for (let i = 0; i < 3; i += 1) keyIds.push(await addKey(db.sql, userId));
  const [away = ""] = keyIds;
  await block(away);
  for (let i = 0; i < 60; i += 1) expect((await lease(service, userId, { model })).key_id).not.toBe(away);
  await back(away, userId);
  const served: string[] = [];
  for (let i = 0; i < 12; i += 1) served.push((await lease(service, userId, { model })).key_id);
  for (const keyId of keyIds) expect(served.filter((id) => id === keyId)).toHaveLength(4);
  // The keys are served in turn: no key twice in a round.
  for (let i = 0; i < 12; i += 3) expect(new Set(served.slice(i, i + 3)).size).toBe(3);
  expect(await books(userId)).toBe(0);
});

test("where none is ready, those that come back keep their order", async () => {
  const userId = await makeUser(db.sql);
  const keyIds: string[] = [];
  for (let i = 0; i < 4; i += 1) keyIds.push(await addKey(db.sql, userId, { usageCount: 100 - i }));
  for (const [i, id] of keyIds.entries()) await blockKey(id, 60 + i);
  await passPoolTime(db.sql, userId, 90);
  const served = [];
  for (let i = 0; i < 3; i += 1) served.push((await lease(service, userId)).key_id);
  expect(served[0]).toBe(keyIds[3]);
  const counts =
    await db.sql`select usage_count::int as n, skipped_count::int as skipped from user_api_keys where user_id = ${userId} order by 1`;
  expect(counts.every(({ skipped }) => skipped === 0)).toBe(true);
});

test("many at once, for a model, with all others of it still blocked: one look levels them", async () => {
  const userId = await makeUser(db.sql);
  const keyIds: string[] = [];
  for (let i = 0; i < 100; i += 1) keyIds.push(await addKey(db.sql, userId));
  const [free = ""] = keyIds;
  for (const id of keyIds.slice(1)) await blockModel(id, 60);
  for (let i = 0; i < 20; i += 1) expect((await lease(service, userId, { model })).key_id).toBe(free);
  await passPoolTime(db.sql, userId, 61);
  for (let i = 0; i < 200; i += 1) await lease(service, userId, { model });
  const [row] = await db.sql`
    select max(usage_count - skipped_count)::int as most, count(limited_models)::int as copies from user_api_keys where user_id = ${userId} and id <> ${free}`;
  expect(row).toMatchObject({ copies: 0 });
  // A key is leased in two full rounds, perhaps in the next round, and once more if it was levelled later.
  expect(row?.most).toBeLessThanOrEqual(4);
  expect(await books(userId)).toBe(0);
});

test("the only key, blocked for its model, keeps its count", async () => {
  const userId = await makeUser(db.sql);
  const id = await addKey(db.sql, userId, { usageCount: 5 });
  await blockModel(id, 60);
  expect(await tryLease(service, userId, { model })).toMatchObject({ kind: "none", limited: 1 });
  await passPoolTime(db.sql, userId, 61);
  await lease(service, userId, { model });
  expect(
    await db.sql`select usage_count::int, skipped_count::int from user_api_keys where id = ${id}`,
  ).toMatchObject([{ usage_count: 6, skipped_count: 0 }]);
});

test("a count that was typed at the largest there is does not keep a key from coming back", async () => {
  const userId = await makeUser(db.sql);
  const [large, small] = [await addKey(db.sql, userId), await addKey(db.sql, userId)];
  await blockModel(small, 60);
  await db.sql`update user_api_keys set usage_count = 1000000000000000 where id = ${large}`;
  for (let i = 0; i < 3; i += 1) await lease(service, userId, { model });
  await passPoolTime(db.sql, userId, 61);
  expect((await lease(service, userId, { model })).key_id).toBe(small);
  expect(await db.sql`select usage_count::int as n from user_api_keys where id = ${small}`).toEqual([
    { n: 1_000_001 },
  ]);
});

test("what another row of the copy says stays with that row", async () => {
  const userId = await makeUser(db.sql);
  const id = await addKey(db.sql, userId);
  await blockModel(id, 600);
  await lease(service, userId);
  await db.sql`
    insert into user_api_keys (user_id, key_name, api_key_encrypted, limited_models, limited_until, skipped_count)
    select user_id, 'copy', api_key_encrypted || 'x', limited_models, limited_until, 77 from user_api_keys where id = ${id}`;
  const [copy] =
    await db.sql`select limited_models, usage_count - skipped_count as books from user_api_keys where user_id = ${userId} and id <> ${id}`;
  expect(copy).toEqual({ limited_models: null, books: "0" });
});
