import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  addKey,
  askOnce,
  envelope,
  health,
  lease,
  makeUser,
  type NoKey,
  passPoolTime,
  report,
  secondsLeft,
  tryLease,
} from "../../support/keys.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

const CALLERS = LONG_TESTS ? 64 : 16;

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", CALLERS);
});
afterAll(() => db.drop());

const block = (keyId: string, seconds: number) => db.sql`
  update api_key_health set blocked_until = clock_timestamp() + make_interval(secs => ${seconds}) where user_api_key_id = ${keyId}`;
const names = async (userId: string, n: number) => {
  const byId = new Map(
    (await db.sql`select id, key_name from user_api_keys where user_id = ${userId}`).map((row) => [
      row.id,
      row.key_name,
    ]),
  );
  const out: string[] = [];
  for (let i = 0; i < n; i += 1) out.push(byId.get((await lease(service, userId)).key_id));
  return out;
};

describe("order", () => {
  test("priority descending, then usage_count ascending, then id; each lease counts", async () => {
    const userId = await makeUser(db.sql);
    await addKey(db.sql, userId, { name: "low", priority: 0 });
    await addKey(db.sql, userId, { name: "b", priority: 5, usageCount: 3 });
    await addKey(db.sql, userId, { name: "a", priority: 5, usageCount: 1 });
    expect(await names(userId, 5)).toEqual([
      "a",
      "a",
      expect.any(String),
      expect.any(String),
      expect.any(String),
    ]);
    const rows =
      await db.sql`select key_name, usage_count::int as n from user_api_keys where user_id = ${userId} order by key_name`;
    expect(rows.map(({ n }) => n).reduce((sum, n) => sum + n)).toBe(9);
    expect(rows.find(({ key_name }) => key_name === "low")?.n).toBe(0);
  });

  test("a higher tier that recovers is served by the very next call", async () => {
    const userId = await makeUser(db.sql);
    const top = await addKey(db.sql, userId, { name: "top", priority: 9 });
    await addKey(db.sql, userId, { name: "low", priority: 1 });
    await block(top, 60);
    expect(await names(userId, 1)).toEqual(["low"]);
    await passPoolTime(db.sql, userId, 61);
    expect(await names(userId, 2)).toEqual(["top", "top"]);
  });

  test("a provider takes keys of that provider and of none", async () => {
    const userId = await makeUser(db.sql);
    await addKey(db.sql, userId, { name: "openai", provider: "OpenAI", priority: 1 });
    await addKey(db.sql, userId, { name: "any", priority: 0 });
    const keyOf = async (provider: string) => (await lease(service, userId, { provider })).key_id;
    const [openai, any] = [await keyOf("openai"), await keyOf("gemini")];
    expect(openai).not.toBe(any);
    await db.sql`update user_api_keys set is_active = false where id = ${any}`;
    expect(await tryLease(service, userId, { provider: "gemini" })).toEqual({
      kind: "none",
      cooling_down: 0,
      limited: 0,
      disabled: 1,
      retry_after: null,
      other_providers: null,
    });
  });
});

describe("none means none", () => {
  test.each([1, 3, 10])(
    `%d keys, ${CALLERS} callers at once: everyone is served, counts are exact and even`,
    async (keys) => {
      const userId = await makeUser(db.sql);
      for (let i = 0; i < keys; i += 1) await addKey(db.sql, userId);
      const rounds = 4;
      await Promise.all(
        Array.from({ length: CALLERS }, async () => {
          for (let i = 0; i < rounds; i += 1) await lease(service, userId);
        }),
      );
      const rows = await db.sql`
      select k.usage_count::int as used, (select count(*)::int from api_key_usage_log l where l.user_api_key_id = k.id) as logged
      from user_api_keys k where user_id = ${userId}`;
      expect(rows.every(({ used, logged }) => used === logged)).toBe(true);
      const used = rows.map((row) => row.used);
      expect(used.reduce((sum, n) => sum + n)).toBe(CALLERS * rounds);
      expect(Math.max(...used) - Math.min(...used)).toBeLessThanOrEqual(2 * CALLERS);
    },
  );

  test("a key that stays locked makes the call give way, not hang", async () => {
    const userId = await makeUser(db.sql);
    const keyId = await addKey(db.sql, userId);
    await db.sql.begin(async (tx) => {
      await tx`select from user_api_keys where id = ${keyId} for update`;
      await expect(askOnce(service, userId)).rejects.toMatchObject({ code: "55P03" });
    });
  });
});

describe("when there is none", () => {
  test("Retry-After is the soonest remaining, rounded up, falls with time, and waiting that long is enough", async () => {
    const userId = await makeUser(db.sql);
    const [first] = [
      await addKey(db.sql, userId),
      await addKey(db.sql, userId),
      await addKey(db.sql, userId, { active: false }),
    ];
    for (const key of await db.sql`select id from user_api_keys where user_id = ${userId} and is_active`)
      await block(key.id, 60);
    await block(first ?? "", 40);
    const told = async (passed: number) => {
      await passPoolTime(db.sql, userId, passed);
      const most = await secondsLeft(db.sql, first ?? "");
      const { retry_after, ...rest } = (await tryLease(service, userId)) as NoKey;
      expect(rest).toEqual({
        kind: "none",
        cooling_down: 2,
        limited: 0,
        disabled: 1,
        other_providers: null,
      });
      // One bound was read before the lease and one is read after it, so both hold however long the lease took.
      expect(retry_after).toBeLessThanOrEqual(most);
      expect(retry_after).toBeGreaterThanOrEqual(await secondsLeft(db.sql, first ?? ""));
      return retry_after ?? 0;
    };
    expect(await told(0)).toBeLessThanOrEqual(40);
    const soon = await told(10.5);
    expect(soon).toBeLessThanOrEqual(30);
    await passPoolTime(db.sql, userId, soon);
    expect(await tryLease(service, userId)).toMatchObject({ kind: "leased", key_id: first });
  });

  test("no key at all, all disabled, blocked for ever: waiting cannot help", async () => {
    const userId = await makeUser(db.sql);
    expect(await tryLease(service, userId)).toEqual({
      kind: "none",
      cooling_down: 0,
      limited: 0,
      disabled: 0,
      retry_after: null,
      other_providers: null,
    });
    await addKey(db.sql, userId, { active: false });
    expect(await tryLease(service, userId)).toEqual({
      kind: "none",
      cooling_down: 0,
      limited: 0,
      disabled: 1,
      retry_after: null,
      other_providers: null,
    });
    const forever = await addKey(db.sql, userId);
    await db.sql`update api_key_health set blocked_until = 'infinity' where user_api_key_id = ${forever}`;
    expect(await tryLease(service, userId)).toEqual({
      kind: "none",
      cooling_down: 1,
      limited: 0,
      disabled: 1,
      retry_after: null,
      other_providers: null,
    });
  });
});

describe("keys that cannot be opened", () => {
  test("a key sealed to a pair that is not live is passed over", async () => {
    const userId = await makeUser(db.sql);
    await addKey(db.sql, userId, { kid: "old", priority: 9 });
    const live = await addKey(db.sql, userId, { kid: "new" });
    expect(await lease(service, userId, { kids: ["new"] })).toMatchObject({ key_id: live });
    expect((await lease(service, userId, { kids: ["new", "old"] })).key_id).not.toBe(live);
    // Both keys are in one tier now. The key that cannot be opened would come first, but is passed over.
    await db.sql`update user_api_keys set priority = 0, usage_count = 0 where sealed_kid = 'old' and user_id = ${userId}`;
    expect(await lease(service, userId, { kids: ["new"] })).toMatchObject({ key_id: live });
    expect(await tryLease(service, userId, { kids: ["none"] })).toEqual({
      kind: "none",
      cooling_down: 0,
      limited: 0,
      disabled: 2,
      retry_after: null,
      other_providers: null,
    });
  });

  test("a voided lease gives its count back, flags the key until its ciphertext changes, and the next is taken", async () => {
    const userId = await makeUser(db.sql);
    const bad = await addKey(db.sql, userId, { priority: 9, usageCount: 50 });
    const good = await addKey(db.sql, userId);
    const leased = await lease(service, userId);
    expect(leased.key_id).toBe(bad);
    expect((await lease(service, userId, { releaseLease: leased.lease_id })).key_id).toBe(good);
    const [row] = await db.sql`
      select k.usage_count, s.state, s.why, (select count(*) from api_key_usage_log where user_api_key_id = k.id) as log
      from user_api_keys k join api_key_states s on s.user_api_key_id = k.id where k.id = ${bad}`;
    expect(row).toMatchObject({
      usage_count: "50",
      state: "disabled",
      why: expect.stringContaining("cannot be opened"),
      log: "0",
    });
    await expect(report(service, userId, { leaseId: leased.lease_id, code: 429 })).rejects.toMatchObject({
      code: "PT404",
    });
    await lease(service, userId, { releaseLease: leased.lease_id });
    expect((await db.sql`select usage_count from user_api_keys where id = ${bad}`)[0]?.usage_count).toBe(
      "50",
    );

    await db.sql`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${bad}`;
    expect((await lease(service, userId)).key_id).toBe(bad);
  });

  test("a lease is not voided by another pool, nor a replaced ciphertext flagged", async () => {
    const [mine, theirs] = [await makeUser(db.sql), await makeUser(db.sql)];
    const keyId = await addKey(db.sql, mine);
    const leased = await lease(service, mine);
    await tryLease(service, theirs, { releaseLease: leased.lease_id });
    expect(await health(db.sql, keyId)).toMatchObject({ state: "available" });
    expect(await db.sql`select id from api_key_usage_log where id = ${leased.lease_id}`).toHaveLength(1);
    await db.sql`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${keyId}`;
    expect((await lease(service, mine, { releaseLease: leased.lease_id })).key_id).toBe(keyId);
  });
});

describe("locks", () => {
  test("gets, reports and operator edits of every kind, mixed: no deadlock reaches a caller, and the state holds together", async () => {
    const userId = await makeUser(db.sql);
    const keys: string[] = [];
    for (let i = 0; i < 4; i += 1) keys.push(await addKey(db.sql, userId, { priority: i % 2 }));
    const pick = () => keys[Math.floor(Math.random() * keys.length)] as string;
    const failures: string[] = [];
    // The number of callers that are not done. The operator's edits go on until it is 0.
    let calling = LONG_TESTS ? 24 : 8;
    const caller = async () => {
      for (let round = 0; round < (LONG_TESTS ? 25 : 15); round += 1) {
        try {
          const leased = await tryLease(service, userId);
          if (leased.kind !== "leased") await sleep(5);
          else
            await report(service, userId, {
              leaseId: leased.lease_id,
              ...(Math.random() < 0.3 && {
                code: [429, 500, 403, 401][Math.floor(Math.random() * 4)] as number,
              }),
            });
        } catch (error) {
          failures.push(String(error));
        }
      }
      calling -= 1;
    };
    const edits = [
      (id: string) =>
        db.sql`update api_key_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ${id}`,
      (id: string) => db.sql`update user_api_keys set is_active = true where id = ${id}`,
      (id: string) => db.sql`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${id}`,
      (id: string) => db.sql`update user_api_keys set priority = 1 - priority where id = ${id}`,
      () =>
        db.sql`update api_key_health h set blocked_until = null from user_api_keys k where k.id = h.user_api_key_id and k.user_id = ${userId}`,
    ];
    const operator = async () => {
      while (calling > 0) {
        await edits[Math.floor(Math.random() * edits.length)]?.(pick());
        await sleep(3);
      }
    };
    await Promise.all([operator(), ...Array.from({ length: calling }, caller)]);
    expect(failures).toEqual([]);
    // Find keys whose `cooling_until` differs from `blocked_until`, except that it may be null when the block has ended. Also find ready
    // keys below the low-water mark.
    const broken = await db.sql`
      select k.id
      from user_api_keys k
      join api_key_health h on h.user_api_key_id = k.id
      join private.api_key_tiers t on t.user_id = k.user_id and t.priority = k.priority
      where k.user_id = ${userId}
        and (
          (k.cooling_until is distinct from h.blocked_until and (k.cooling_until is not null or h.blocked_until > clock_timestamp()))
          or (k.is_ready and (k.usage_count, k.id) < (t.low_water_count, t.low_water_id))
        )`;
    expect(broken).toHaveLength(0);
  });
});
