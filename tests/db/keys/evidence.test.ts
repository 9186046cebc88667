import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fingerprintOf, sealKey } from "../../../packages/core/src/keys/seal.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addAgent, addKey, envelope, lease, makeUser, pair, report } from "../../support/keys.ts";

/* Tests the data that identifies the key in a row, and the data that stays of a deleted key. */

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 1);
});
afterAll(() => db.drop());

const keyOf = (id: string) =>
  db.sql`select api_key_encrypted, fingerprint, key_hint from user_api_keys where id = ${id}`.then(
    ([row]) => row,
  );
const logOf = (id: string) => db.sql`select id from api_key_usage_log where user_api_key_id = ${id}`;
const deleted = (id: string) =>
  db.sql`select key_name, key_hint, fingerprint, provider, user_id from api_key_deleted where id = ${id}`;
const PLAINTEXT = "sk-proj-0123456789abcdef";
const duplicate = { code: "PT422", detail: expect.stringContaining('"duplicate_key"') };

describe("fingerprint and hint", () => {
  test("move from the sealed text into their columns, and come with the lease", async () => {
    const userId = await makeUser(db.sql);
    const sealed = await sealKey(pair.sealKey, userId, PLAINTEXT);
    const [text = ""] = sealed.split("#");
    const id = await addKey(db.sql, userId, { plaintext: PLAINTEXT });
    const fingerprint = await fingerprintOf(userId, PLAINTEXT);
    expect(await keyOf(id)).toMatchObject({ fingerprint, key_hint: "cdef" });
    await db.sql`update user_api_keys set api_key_encrypted = ${sealed} where id = ${id}`;
    expect(await keyOf(id)).toEqual({ api_key_encrypted: text, fingerprint, key_hint: "cdef" });
    expect(await lease(service, userId)).toMatchObject({
      api_key_encrypted: text,
      fingerprint,
    });
  });

  test("are absent of a text without them, and go with the text that had them", async () => {
    const userId = await makeUser(db.sql);
    const id = await addKey(db.sql, userId, { plaintext: PLAINTEXT });
    await db.sql`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${id}`;
    expect(await keyOf(id)).toMatchObject({ fingerprint: null, key_hint: null });
  });

  test("are not edited by themselves", async () => {
    const userId = await makeUser(db.sql);
    const id = await addKey(db.sql, userId, { plaintext: PLAINTEXT });
    const before = await keyOf(id);
    await db.sql`update user_api_keys set fingerprint = ${"0".repeat(32)}, key_hint = 'mine' where id = ${id}`;
    expect(await keyOf(id)).toEqual(before);
  });

  test.each(["#", "#abc.", `#${"0".repeat(32)}`, `#${"0".repeat(32)}.long-hint`, `#${"0".repeat(32)}.'a'b`])(
    "a text that ends otherwise (%s) is refused",
    async (end) => {
      const userId = await makeUser(db.sql);
      await expect(
        db.sql`insert into user_api_keys (user_id, key_name, api_key_encrypted) values (${userId}, 'x', ${envelope() + end})`,
      ).rejects.toMatchObject({ code: "PT422", message: expect.stringContaining("not a sealed text") });
    },
  );
});

describe("the same key twice", () => {
  test("is refused with the name of the other, by insert, by replacing and within one statement; not in another pool", async () => {
    const [userId, other] = [await makeUser(db.sql), await makeUser(db.sql)];
    await addKey(db.sql, userId, { name: 'first "one"', plaintext: PLAINTEXT });
    const second = await addKey(db.sql, userId, { plaintext: "sk-other" });
    const sealed = await sealKey(pair.sealKey, userId, PLAINTEXT);
    const fingerprint = await fingerprintOf(userId, PLAINTEXT);
    for (const statement of [
      addKey(db.sql, userId, { plaintext: PLAINTEXT }),
      db.sql`update user_api_keys set api_key_encrypted = ${sealed} where id = ${second}`,
    ]) {
      const error = await statement.then(
        () => null,
        (caught) => caught,
      );
      expect(error).toMatchObject({
        ...duplicate,
        message: 'the pool has this key already: "first \\"one\\""',
      });
      expect(JSON.stringify([error.message, error.detail, error.hint, error.where])).not.toMatch(
        new RegExp(`${fingerprint}|cdef`),
      );
    }
    const third = await sealKey(pair.sealKey, userId, "sk-third");
    await expect(
      db.sql`
        insert into user_api_keys (user_id, key_name, api_key_encrypted) values (${userId}, 'a', ${third}), (${userId}, 'b', ${third})`,
    ).rejects.toMatchObject(duplicate);
    await addKey(db.sql, other, { plaintext: PLAINTEXT });
  });

  test("two operators at once: one key, one error", async () => {
    for (let round = 0; round < 5; round += 1) {
      const userId = await makeUser(db.sql);
      const results = await Promise.allSettled(
        [1, 2, 3].map(() => addKey(db.sql, userId, { plaintext: PLAINTEXT })),
      );
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(await db.sql`select from user_api_keys where user_id = ${userId}`).toHaveLength(1);
    }
  });
});

describe("a deleted key", () => {
  async function usedKey() {
    const userId = await makeUser(db.sql);
    const keyId = await addKey(db.sql, userId, { name: "leaked", provider: "openai", plaintext: PLAINTEXT });
    const agent = await addAgent(db.sql, userId);
    const { lease_id: leaseId } = await lease(service, userId);
    return { userId, keyId, agent, leaseId };
  }

  test("leaves its name and its log; a report on its lease finds none", async () => {
    const { userId, keyId, leaseId } = await usedKey();
    await db.sql`delete from user_api_keys where id = ${keyId}`;
    expect(await deleted(keyId)).toEqual([
      {
        key_name: "leaked",
        key_hint: "cdef",
        fingerprint: await fingerprintOf(userId, PLAINTEXT),
        provider: "openai",
        user_id: userId,
      },
    ]);
    expect(await logOf(keyId)).toEqual([{ id: leaseId }]);
    for (const code of [200, 403, 429, 500]) {
      await expect(report(service, userId, { leaseId, code })).rejects.toMatchObject({ code: "PT404" });
    }
    // The same key may be added again.
    await addKey(db.sql, userId, { plaintext: PLAINTEXT });
  });

  test("is forgotten when its log is pruned, not before; one without a log at the next pruning", async () => {
    const { userId, keyId } = await usedKey();
    const unused = await addKey(db.sql, userId);
    await db.sql`delete from user_api_keys where user_id = ${userId}`;
    await db.sql`select prune_api_key_usage_log()`;
    expect([await deleted(keyId), await deleted(unused)].map(({ length }) => length)).toEqual([1, 0]);
    await db.sql`update api_key_usage_log set issued_at = now() - interval '31 days' where user_api_key_id = ${keyId}`;
    await db.sql`select prune_api_key_usage_log()`;
    expect(await deleted(keyId)).toEqual([]);
  });

  test("goes with the account, and so do the logs of all its keys", async () => {
    const { userId, keyId } = await usedKey();
    await db.sql`delete from user_api_keys where id = ${keyId}`;
    const living = await addKey(db.sql, userId);
    await lease(service, userId);
    await db.auth`delete from auth.users where id = ${userId}`;
    expect([await deleted(keyId), await deleted(living), await logOf(keyId), await logOf(living)]).toEqual(
      Array(4).fill([]),
    );
  });

  test("that came back under its id is deleted again", async () => {
    const { userId, keyId } = await usedKey();
    await db.sql`delete from user_api_keys where id = ${keyId}`;
    await db.sql`
      insert into user_api_keys (id, user_id, key_name, api_key_encrypted) values (${keyId}, ${userId}, 'again', ${envelope()})`;
    await db.sql`delete from user_api_keys where id = ${keyId}`;
    expect(await deleted(keyId)).toMatchObject([{ key_name: "again", fingerprint: null }]);
  });
});

test("the view of pools counts what the selector sees, and the last hour", async () => {
  const userId = await makeUser(db.sql);
  const keys: string[] = [];
  for (let i = 0; i < 4; i += 1) keys.push(await addKey(db.sql, userId, { provider: "openai" }));
  await addKey(db.sql, userId);
  await db.sql`update api_key_health set blocked_until = now() + interval '1 hour' where user_api_key_id = ${keys[0] ?? ""}`;
  await db.sql`update user_api_keys set is_active = false where id = ${keys[1] ?? ""}`;
  await db.sql`
    insert into api_key_model_health (user_api_key_id, model, blocked_until) values (${keys[2] ?? ""}, 'gpt', now() + interval '1 hour')`;
  await db.sql`
    insert into api_key_usage_log (user_api_key_id, user_id, key_generation, issued_at, reported_at, outcome, effect)
    select ${keys[3] ?? ""}, ${userId}, 1, at, at, outcome, 'none'
    from (values (now(), 'success'), (now(), 'refused'), (now() - interval '2 hours', 'refused')) v (at, outcome)`;
  const [pool, any] = await service<
    Record<string, unknown>[]
  >`select * from api_key_pools where user_id = ${userId} order by provider`;
  const counts = { available: "1", limited: "1", cooling_down: "1", disabled: "1" };
  expect(pool).toMatchObject({
    provider: "openai",
    ...counts,
    leases_last_hour: "2",
    failures_last_hour: "1",
  });
  expect(Number(pool?.soonest_seconds)).toBeGreaterThan(3500);
  expect(any).toMatchObject({ provider: null, available: "1", soonest_seconds: null, leases_last_hour: "0" });
});
