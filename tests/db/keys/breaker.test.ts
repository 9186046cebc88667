import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, health, lease, makeUser, passPoolTime, report } from "../../support/keys.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

let db: Clone;
let service: ReturnType<Clone["as"]>;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 16);
});
afterAll(() => db.drop());

/** Makes a pool of `count` keys, each with open leases. `kill` sends a report that disables a key. */
async function makePool(count: number, provider: string | null = "openai", leases = 2) {
  const userId = await makeUser(db.sql);
  const open = new Map<string, string[]>();
  for (let i = 0; i < count; i += 1) {
    const keyId = await addKey(db.sql, userId, { name: `key ${i}`, provider });
    open.set(keyId, []);
  }
  for (let i = 0; i < count * leases; i += 1) {
    const { key_id, lease_id } = await lease(service, userId);
    open.get(key_id)?.push(lease_id);
  }
  const keyIds = [...open.keys()];
  const kill = (keyId = "") => report(service, userId, { leaseId: open.get(keyId)?.shift(), code: 403 });
  const alerts = () => db.sql`
    select provider, kind, user_api_key_id, key_name, detail from api_key_alerts
    where user_id = ${userId} and kind = 'many_at_once' order by created_at`;
  return { userId, keyIds, open, kill, alerts };
}

const effects = async (calls: Promise<{ effect: string }>[]) =>
  (await Promise.all(calls)).map(({ effect }) => effect);
const reasons = async (userId: string) =>
  (
    await db.sql`
      select h.reason, count(*)::int as keys from api_key_health h join user_api_keys k on k.id = h.user_api_key_id
      where k.user_id = ${userId} group by 1 order by 1`
  ).map(({ reason, keys }) => [reason, keys]);

describe("keys that one network says no to", () => {
  test("two are disabled as documented, each further one rests for five minutes and says why", async () => {
    const { userId, keyIds, kill, alerts } = await makePool(5);
    const told = [];
    for (const keyId of keyIds.slice(0, 4)) told.push(await kill(keyId));
    expect(told.map(({ effect, outcome }) => [effect, outcome])).toEqual([
      ["disabled", "invalid_key"],
      ["disabled", "invalid_key"],
      ["cooled", "invalid_key"],
      ["cooled", "invalid_key"],
    ]);
    expect(await health(db.sql, keyIds[2] ?? "")).toMatchObject({
      state: "cooling_down",
      is_active: true,
      reason: "many_at_once",
      consecutive_failures: 0,
    });
    expect((await health(db.sql, keyIds[2] ?? "")).length).toBeCloseTo(300, 1);
    const [state] =
      await db.sql`select why, state from api_key_states where user_api_key_id = ${keyIds[3] ?? ""}`;
    expect(state).toEqual({ why: "many_at_once 403", state: "cooling_down" });
    expect((await lease(service, userId)).key_id).toBe(keyIds[4]);
    // At most one alert is made in five minutes.
    expect(await alerts()).toEqual([
      {
        provider: "openai",
        kind: "many_at_once",
        user_api_key_id: keyIds[2],
        key_name: "key 2",
        detail: { error_code: "403", disabled_key_ids: expect.arrayContaining(keyIds.slice(0, 2)) },
      },
    ]);
  });

  test("the same news again changes nothing, and its duplicate raises no second alert", async () => {
    const { userId, keyIds, open, kill, alerts } = await makePool(3);
    for (const keyId of keyIds.slice(0, 2)) await kill(keyId);
    const [, , third = ""] = keyIds;
    const [leaseId] = open.get(third) ?? [];
    expect(await kill(third)).toMatchObject({ effect: "cooled" });
    await db.sql`delete from api_key_alerts where user_id = ${userId}`;
    expect(await report(service, userId, { leaseId, code: 403 })).toMatchObject({ effect: "duplicate" });
    expect(await alerts()).toEqual([]);
    expect(await kill(third)).toMatchObject({ effect: "ignored", state: "cooling_down" });
    expect(await alerts()).toHaveLength(1);
  });

  test("a 429 during it escalates: it is no rate block", async () => {
    const { userId, keyIds, open, kill } = await makePool(3);
    for (const keyId of keyIds) await kill(keyId);
    const leaseId = open.get(keyIds[2] ?? "")?.[0];
    expect(await report(service, userId, { leaseId, code: 429, retryAfter: 400 })).toMatchObject({
      effect: "cooled",
      consecutive_failures: 1,
    });
  });

  test.each([
    [0, ["disabled", "disabled", "cooled", "cooled"]],
    // A disabled key counts for 60 s. If keys are disabled 31 s apart, only the previous key counts.
    [31, ["disabled", "disabled", "disabled", "disabled"]],
  ])("counted within a minute: %i s apart", async (seconds, expected) => {
    const { userId, keyIds, kill, alerts } = await makePool(4);
    const told = [];
    for (const keyId of keyIds) {
      told.push((await kill(keyId)).effect);
      await passPoolTime(db.sql, userId, seconds);
    }
    expect(told).toEqual(expected);
    expect(await alerts()).toHaveLength(expected.includes("cooled") ? 1 : 0);
  });

  test("another alert after five minutes", async () => {
    const { userId, keyIds, kill, alerts } = await makePool(6);
    for (const keyId of keyIds.slice(0, 3)) await kill(keyId);
    await passPoolTime(db.sql, userId, 100);
    await db.sql`update api_key_alerts set created_at = created_at - interval '299 s' where user_id = ${userId}`;
    for (const keyId of keyIds.slice(3)) await kill(keyId);
    expect(await alerts()).toHaveLength(1);
    await db.sql`update api_key_alerts set created_at = created_at - interval '2 s' where user_id = ${userId}`;
    await passPoolTime(db.sql, userId, 10);
    await kill(keyIds[5]);
    expect(await alerts()).toHaveLength(2);
  });

  test("providers are counted apart, keys for any among themselves, pools apart", async () => {
    const pools = [await makePool(2, "openai"), await makePool(2, "openai")];
    const [one, other] = pools;
    for (const pool of pools)
      expect(await effects(pool.keyIds.map(pool.kill))).toEqual(["disabled", "disabled"]);
    for (const provider of ["gemini", null]) {
      const userId = one?.userId ?? "";
      const keyIds = [];
      for (let i = 0; i < 3; i += 1) keyIds.push(await addKey(db.sql, userId, { provider }));
      const told = [];
      for (let i = 0; i < 3; i += 1) {
        const { lease_id } = await lease(service, userId);
        told.push((await report(service, userId, { leaseId: lease_id, code: 403 })).effect);
      }
      expect(told).toEqual(["disabled", "disabled", "cooled"]);
      await db.sql`update user_api_keys set priority = -1, is_active = false where id = any(${keyIds})`;
    }
    expect(await one?.alerts()).toMatchObject([{ provider: "gemini" }, { provider: null }]);
    expect(await other?.alerts()).toEqual([]);
  });

  test("what an operator disables or enables does not count", async () => {
    const { keyIds, kill } = await makePool(6);
    const [a = "", b = "", c = "", d = "", e = "", f = ""] = keyIds;
    await db.sql`update user_api_keys set is_active = false where id in ${db.sql([a, b])}`;
    expect(await effects([kill(c)])).toEqual(["disabled"]);
    expect(await effects([kill(d)])).toEqual(["disabled"]);
    await db.sql`update user_api_keys set is_active = true where id = ${c}`;
    expect(await effects([kill(e)])).toEqual(["disabled"]);
    expect(await effects([kill(f)])).toEqual(["cooled"]);
  });

  test.each(["disabled by hand afterwards", "told a bare 401 afterwards", "given away"])(
    "a key that reports disabled and that is enabled, %s, does not count",
    async (then) => {
      const { userId, keyIds, kill } = await makePool(3);
      const [first = "", second, third] = keyIds;
      await kill(first);
      await kill(second);
      if (then === "given away") {
        await db.sql`update user_api_keys set user_id = ${await makeUser(db.sql)} where id = ${first}`;
      } else {
        await db.sql`update user_api_keys set is_active = true where id = ${first}`;
        if (then.startsWith("told")) {
          const { key_id, lease_id } = await lease(service, userId, { exclude: keyIds.slice(1) });
          expect(key_id).toBe(first);
          await report(service, userId, { leaseId: lease_id, code: 401 });
          expect(await health(db.sql, first)).toMatchObject({ reason: "invalid_key", state: "cooling_down" });
        } else await db.sql`update user_api_keys set is_active = false where id = ${first}`;
      }
      expect(await effects([kill(third)])).toEqual(["disabled"]);
    },
  );

  test("50 reporters at once on 20 keys: two are disabled, exactly", async () => {
    for (let round = 0; round < (LONG_TESTS ? 5 : 1); round += 1) {
      const { userId, keyIds, kill, alerts } = await makePool(20, round % 2 === 0 ? "openai" : null, 3);
      const told = await effects(Array.from({ length: 50 }, (_, i) => kill(keyIds[i % 20])));
      const count = (effect: string) => told.filter((each) => each === effect).length;
      expect([count("disabled"), count("cooled"), count("ignored")]).toEqual([2, 18, 30]);
      expect(await reasons(userId)).toEqual([
        ["invalid_key", 2],
        ["many_at_once", 18],
      ]);
      expect(await alerts()).toHaveLength(1);
    }
  });
});

describe("reenable_keys", () => {
  test("brings back what reports have disabled since a moment, of a provider or of all, and nothing else", async () => {
    const { userId, keyIds, kill } = await makePool(4);
    const [old = "", dead = "", byHand = "", other = ""] = keyIds;
    await kill(old);
    await passPoolTime(db.sql, userId, 600);
    const [{ since } = {}] = await db.sql`select (now() - interval '5 minutes')::text as since`;
    await kill(dead);
    await db.sql`update user_api_keys set is_active = false where id = ${byHand}`;
    await db.sql`update user_api_keys set provider = 'gemini' where id = ${other}`;
    await kill(other);
    const enable = (provider: string | null) => db.sql`
      select user_api_key_id, key_name, reason_code from reenable_keys(${userId}, ${provider}, ${since})`;
    expect(await enable("openai")).toEqual([
      { user_api_key_id: dead, key_name: "key 1", reason_code: "403" },
    ]);
    expect(await enable("openai")).toEqual([]);
    expect(await enable(null)).toMatchObject([{ user_api_key_id: other }]);
    const active =
      await db.sql`select id from user_api_keys where user_id = ${userId} and is_active order by id`;
    expect(active.map(({ id }) => id)).toEqual([dead, other].sort());
    expect(await health(db.sql, dead)).toMatchObject({ state: "available", reason: null, generation: 2 });
  });

  test("leaves other pools alone", async () => {
    const [one, other] = [await makePool(1), await makePool(1)];
    for (const pool of [one, other]) await pool.kill(pool.keyIds[0]);
    await db.sql`select from reenable_keys(${one.userId}, null, '-infinity')`;
    expect(await health(db.sql, one.keyIds[0] ?? "")).toMatchObject({ state: "available" });
    expect(await health(db.sql, other.keyIds[0] ?? "")).toMatchObject({ state: "disabled" });
  });
});

test("alerts are pruned with the log", async () => {
  const { userId, keyIds, kill, alerts } = await makePool(3);
  for (const keyId of keyIds) await kill(keyId);
  await db.sql`select prune_api_key_usage_log()`;
  expect(await alerts()).toHaveLength(1);
  await db.sql`update api_key_alerts set created_at = now() - interval '31 days' where user_id = ${userId}`;
  await db.sql`select prune_api_key_usage_log()`;
  expect(await alerts()).toEqual([]);
});

describe("refused and intermediary", () => {
  test("refused: five minutes, n untouched, never disabled; a 429 during it escalates", async () => {
    const { userId, keyIds, open } = await makePool(3, "openai", 3);
    for (const keyId of keyIds) {
      const [a, b, c] = open.get(keyId) ?? [];
      const sendReport = (leaseId: string | undefined, what: object) =>
        report(service, userId, { leaseId, ...what });
      expect(await sendReport(a, { outcome: "refused" })).toMatchObject({
        outcome: "refused",
        effect: "cooled",
        state: "cooling_down",
        consecutive_failures: 0,
      });
      expect((await health(db.sql, keyId)).length).toBeCloseTo(300, 1);
      expect(await sendReport(b, { outcome: "refused" })).toMatchObject({ effect: "ignored" });
      expect(await sendReport(c, { code: 429 })).toMatchObject({ effect: "cooled", consecutive_failures: 1 });
    }
    expect(await reasons(userId)).toEqual([["rate_limited", 3]]);
  });

  test("intermediary: changes nothing, whatever hint comes along", async () => {
    const { userId, keyIds, open } = await makePool(1);
    const [a, b] = open.get(keyIds[0] ?? "") ?? [];
    const told = { leaseId: a, outcome: "intermediary", retryAfter: 90 } as const;
    expect(await report(service, userId, told)).toMatchObject({ effect: "ignored", hint: "ignored" });
    expect(await report(service, userId, { leaseId: b })).toMatchObject({
      effect: "none",
      state: "available",
    });
  });
});
