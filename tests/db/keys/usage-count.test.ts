import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, lease, makeUser } from "../../support/keys.ts";

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

const LARGEST = 1_000_000_000_000_000;
const countOf = async (id: string) =>
  Number((await db.sql`select usage_count from user_api_keys where id = ${id}`)[0]?.usage_count);

test.each([String(LARGEST + 1), "4000000000000000000", "9223372036854775807"])(
  "a usage_count of %s is refused in words, in an update and in an insert",
  async (count) => {
    const user = await makeUser(db.sql);
    const id = await addKey(db.sql, user);
    const refusal = { code: "PT422", detail: expect.stringContaining(`must be at most ${LARGEST}`) };
    await expect(
      db.sql`update user_api_keys set usage_count = ${count}::bigint where id = ${id}`,
    ).rejects.toMatchObject(refusal);
    await expect(
      db.sql`update user_api_keys set usage_count = ${count}::bigint, is_active = false where id = ${id}`,
    ).rejects.toMatchObject(refusal);
    await expect(
      db.sql`insert into user_api_keys (user_id, key_name, api_key_encrypted, usage_count)
      select user_id, 'beside', api_key_encrypted, ${count}::bigint from user_api_keys where id = ${id}`,
    ).rejects.toMatchObject(refusal);
    expect(await countOf(id)).toBe(0);
  },
);

test("at the largest count there is, leases go on, and keys that join go on with it", async () => {
  const user = await makeUser(db.sql);
  const id = await addKey(db.sql, user);
  await db.sql`update user_api_keys set usage_count = ${LARGEST}::bigint where id = ${id}`;
  for (let n = 1; n <= 5; n += 1)
    expect(await lease(db.sql, user)).toMatchObject({ kind: "leased", key_id: id });
  expect(await countOf(id)).toBe(LARGEST + 5);
  // An added key and an enabled key take over the count, and are leased in turn.
  const added = await addKey(db.sql, user);
  const asleep = await addKey(db.sql, user, { active: false });
  await db.sql`update user_api_keys set is_active = true where id = ${asleep}`;
  expect([await countOf(added), await countOf(asleep)]).toEqual([LARGEST + 5, LARGEST + 5]);
  const served = new Set<string>();
  for (let n = 1; n <= 9; n += 1) {
    const taken = await lease(db.sql, user);
    if (taken.kind === "leased") served.add(taken.key_id);
  }
  expect(served.size).toBe(3);
  // The count can be set back to an ordinary one at any time.
  await db.sql`update user_api_keys set usage_count = 0 where id = ${id}`;
  expect(await countOf(id)).toBe(0);
});
