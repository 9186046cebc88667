import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, lease, limitModel, makeUser, passPoolTime, report, tryLease } from "../../support/keys.ts";

/* Tests pools of which nobody can lease a key: the row that is written, and the alert for operators. */

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 8);
});
afterAll(() => db.drop());

async function makePool(size = 1, provider = "openai") {
  const userId = await makeUser(db.sql);
  const keyIds: string[] = [];
  for (let i = 0; i < size; i += 1) keyIds.push(await addKey(db.sql, userId, { provider, name: `key ${i}` }));
  return { userId, keyIds };
}

async function cool(userId: string, retryAfter = 600): Promise<void> {
  const { lease_id } = await lease(service, userId);
  await report(service, userId, { leaseId: lease_id, code: 429, retryAfter });
}

const starvations = (userId: string) => db.sql`
  select provider, model, refusals, ended_at is not null as ended, alerted_at is not null as alerted from api_key_starvations
  where user_id = ${userId} order by since`;
const kinds = async (userId: string) =>
  (await db.sql`select kind from api_key_alerts where user_id = ${userId} order by created_at, id`).map(
    ({ kind }) => kind,
  );
const claim = async () => service`select * from claim_api_key_alerts(1000)`;
const pool = async (userId: string) =>
  (await db.sql`select available, starved_since from api_key_pools where user_id = ${userId}`)[0];

describe("a starvation", () => {
  test("begins with a refusal, counts one a second, and ends with the next lease; a short one is told to nobody", async () => {
    const { userId } = await makePool();
    await cool(userId);
    expect(await starvations(userId)).toEqual([]);
    expect(await pool(userId)).toMatchObject({ starved_since: null });
    for (let i = 0; i < 3; i += 1) expect((await tryLease(service, userId)).kind).toBe("none");
    expect(await starvations(userId)).toEqual([
      { provider: null, model: null, refusals: 1, ended: false, alerted: false },
    ]);
    expect((await pool(userId))?.starved_since).toBeInstanceOf(Date);
    await passPoolTime(db.sql, userId, 2);
    await tryLease(service, userId);
    expect(await starvations(userId)).toMatchObject([{ refusals: 2 }]);
    await db.sql`update api_key_health set blocked_until = null where user_api_key_id in (select id from user_api_keys where user_id = ${userId})`;
    await lease(service, userId);
    expect(await starvations(userId)).toMatchObject([{ ended: true }]);
    expect(await pool(userId)).toMatchObject({ starved_since: null });
    expect(await kinds(userId)).toEqual([]);
    // Another refusal within a minute uses the same row.
    await cool(userId);
    await tryLease(service, userId);
    expect(await starvations(userId)).toMatchObject([{ refusals: 1, ended: false }]);
  });

  test("is told after a minute, once, and so is its end", async () => {
    const { userId } = await makePool();
    await cool(userId);
    await tryLease(service, userId, { provider: "openai" });
    await passPoolTime(db.sql, userId, 59);
    await tryLease(service, userId, { provider: "openai" });
    expect(await kinds(userId)).toEqual([]);
    await passPoolTime(db.sql, userId, 2);
    for (let i = 0; i < 2; i += 1) await tryLease(service, userId, { provider: "openai" });
    await passPoolTime(db.sql, userId, 100);
    await tryLease(service, userId, { provider: "openai" });
    expect(await kinds(userId)).toEqual(["pool_starved"]);
    await passPoolTime(db.sql, userId, 600);
    await lease(service, userId);
    await lease(service, userId);
    expect(await kinds(userId)).toEqual(["pool_starved", "pool_recovered"]);
    const alerts =
      await db.sql`select provider, detail from api_key_alerts where user_id = ${userId} order by created_at`;
    expect(alerts).toMatchObject([
      { provider: "openai", detail: { cooling_down: 1, disabled: 0, limited: 0, model: null } },
      { provider: "openai", detail: { refusals: 4 } },
    ]);
  });

  test("that nobody asks about again is told by the clock, unless a key has come back meanwhile", async () => {
    const [long, short] = [await makePool(), await makePool()];
    await cool(long.userId, 600);
    await cool(short.userId, 30);
    for (const { userId } of [long, short]) {
      await tryLease(service, userId);
      await passPoolTime(db.sql, userId, 61);
    }
    const told = await claim();
    const of = (userId: string) => told.filter((row) => row.user_id === userId).map(({ kind }) => kind);
    expect([of(long.userId), of(short.userId)]).toEqual([["pool_starved"], []]);
  });

  test("is told at once when no key comes back by itself: the last key of a provider has died", async () => {
    const { userId, keyIds } = await makePool();
    const { lease_id } = await lease(service, userId);
    await report(service, userId, { leaseId: lease_id, code: 403 });
    expect(await kinds(userId)).toEqual(["key_disabled"]);
    await tryLease(service, userId, { provider: "openai" });
    expect(await kinds(userId)).toEqual(["key_disabled", "pool_starved"]);
    await db.sql`update user_api_keys set is_active = true where id = ${keyIds[0] ?? ""}`;
    await lease(service, userId);
    expect(await kinds(userId)).toEqual(["key_disabled", "pool_starved", "pool_recovered"]);
  });

  test("of a model is over when that model is leased; other names of models make none of their own", async () => {
    const { userId, keyIds } = await makePool();
    await limitModel(db.sql, userId, keyIds[0] ?? "", "pro", 600);
    await tryLease(service, userId, { model: "pro" });
    await lease(service, userId, { model: "flash" });
    expect(await starvations(userId)).toMatchObject([{ model: "pro", ended: false }]);
    await db.sql`update user_api_keys set is_active = false where id = ${keyIds[0] ?? ""}`;
    for (let i = 0; i < 50; i += 1) await tryLease(service, userId, { model: `made-up-${i}` });
    expect(await starvations(userId)).toMatchObject([{ model: "pro" }, { model: null, refusals: 1 }]);
  });

  test("of a provider that the pool has no key for is none", async () => {
    const { userId } = await makePool();
    await tryLease(service, userId, { provider: "groq" });
    expect(await starvations(await makeUser(db.sql))).toEqual([]);
    expect(await starvations(userId)).toEqual([]);
  });

  test("forty refusals and leases at once: one row, no error, and nobody waits for another", async () => {
    const { userId } = await makePool(2);
    await cool(userId);
    await cool(userId);
    await Promise.all(Array.from({ length: 40 }, () => tryLease(service, userId)));
    expect(await starvations(userId)).toHaveLength(1);
    // A refusal that is not committed yet locks the row: other refusals do not wait, and neither does a lease.
    await passPoolTime(db.sql, userId, 2);
    await service.begin(async (tx) => {
      await tx`select lease_api_key(user_id => ${userId}, live_kids => '{}')`;
      await tryLease(service, userId);
      await db.sql`update api_key_health set blocked_until = null where user_api_key_id in (select id from user_api_keys where user_id = ${userId})`;
      await lease(service, userId);
    });
    await Promise.all(Array.from({ length: 40 }, () => lease(service, userId)));
    expect(await starvations(userId)).toMatchObject([{ ended: true }]);
  });
});

describe("alerts", () => {
  test("a text that cannot be opened is told once", async () => {
    const { userId } = await makePool();
    const { lease_id } = await lease(service, userId);
    for (let i = 0; i < 2; i += 1) await tryLease(service, userId, { releaseLease: lease_id });
    expect((await kinds(userId)).filter((kind) => kind === "key_unopenable")).toHaveLength(1);
  });

  test("two calls at once share the alerts; what was not settled is for a call after two minutes, what is a day old for none", async () => {
    await claim();
    const { userId } = await makePool();
    await db.sql`
      insert into api_key_alerts (user_id, kind, created_at)
      select ${userId}, 'key_disabled', now() - make_interval(hours => n) from unnest(array[0, 1, 25]) n`;
    const claimed = (await Promise.all([claim(), claim(), claim()])).flat();
    expect(claimed).toHaveLength(2);
    const [first, second] = claimed.map(({ id }) => id);
    await service`select settle_api_key_alerts(array[${first}]::uuid[], array[]::uuid[])`;
    expect(await claim()).toEqual([]);
    await db.sql`update api_key_alerts set claimed_until = now() - interval '1 second' where user_id = ${userId} and claimed_until is not null`;
    expect((await claim()).map(({ id }) => id)).toEqual([second]);
    await service`select settle_api_key_alerts(array[]::uuid[], array[${second}]::uuid[])`;
    expect(await claim()).toHaveLength(1);
  });

  test("and starvations go with the log's retention, and with the account", async () => {
    const { userId } = await makePool();
    await cool(userId);
    await tryLease(service, userId);
    await db.sql`update api_key_starvations set last_refused_at = now() - interval '91 days' where user_id = ${userId}`;
    await db.sql`select prune_api_key_usage_log()`;
    expect(await starvations(userId)).toEqual([]);
  });
});
