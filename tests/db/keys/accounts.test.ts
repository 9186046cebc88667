import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { untilWaiting } from "../../support/hub.ts";
import {
  addKey,
  health,
  lease,
  makeUser,
  passPoolTime,
  type ReportOptions,
  report,
  tryLease,
} from "../../support/keys.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { during } from "../../support/waits.ts";

/* Tests that keys of one account share every limit and every block for money. */

/** The number of reports of each reporter in the test with an operator who edits all keys. */
const ROUNDS = LONG_TESTS ? 12 : 3;

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 12);
});
afterAll(() => db.drop());

async function makeAccount(size: number, provider: string | null = "openai", userId?: string) {
  const owner = userId ?? (await makeUser(db.sql));
  const keyIds: string[] = [];
  for (let i = 0; i < size; i += 1)
    keyIds.push(await addKey(db.sql, owner, { provider, account: "acme", name: `key ${i}` }));
  return { userId: owner, keyIds };
}

/** Adds a lease of a key, even of one that could not be leased now. */
async function leaseOf(userId: string, keyId: string, model: string | null = null): Promise<string> {
  const [row] = await db.sql<{ id: string }[]>`
    insert into api_key_usage_log (user_api_key_id, user_id, key_generation, issued_at, model)
    select id, user_id, generation, clock_timestamp(), ${model} from user_api_keys where id = ${keyId} and user_id = ${userId} returning id`;
  return row?.id ?? "";
}
const fail = async (userId: string, keyId: string, what: ReportOptions, model: string | null = null) =>
  report(service, userId, { leaseId: await leaseOf(userId, keyId, model), ...what });
const states = async (keyIds: string[]) => Promise.all(keyIds.map((id) => health(db.sql, id)));

describe("a limit", () => {
  test.each([
    ["of the key", { code: 429, retryAfter: 60 }, "key"],
    ["about money", { code: 402 }, "account"],
    ["of the account, that is no limit", { outcome: "refused", scope: "account" }, "account"],
  ] as const)("%s blocks all keys of the account, and no other", async (_, what, scope) => {
    const { userId, keyIds } = await makeAccount(3);
    const alone = await addKey(db.sql, userId, { provider: "openai" });
    const other = await addKey(db.sql, userId, { provider: "gemini", account: "acme" });
    const stranger = await makeAccount(1);
    expect(await fail(userId, keyIds[1] ?? "", what)).toMatchObject({ effect: "cooled", scope });
    const [first, ...rest] = await states(keyIds);
    expect(first).toMatchObject({ state: "cooling_down" });
    for (const each of rest)
      expect(each).toMatchObject({
        blocked_until: first?.blocked_until,
        reason: first?.reason,
        consecutive_failures: first?.consecutive_failures,
      });
    for (const each of await states([alone, other, ...stranger.keyIds])) expect(each.state).toBe("available");
    const causes =
      await db.sql`select distinct caused_by_log_id from api_key_states where user_api_key_id = any(${keyIds})`;
    expect(causes).toHaveLength(1);
  });

  test("of a model blocks that model of all of them", async () => {
    const { userId, keyIds } = await makeAccount(3);
    await fail(userId, keyIds[0] ?? "", { code: 429, retryAfter: 60 }, "pro");
    expect(await tryLease(service, userId, { model: "pro" })).toMatchObject({ kind: "none", limited: 3 });
    expect((await tryLease(service, userId, { model: "flash" })).kind).toBe("leased");
    await db.sql`update user_api_keys set account = null where id = ${keyIds[0] ?? ""}`;
    await passPoolTime(db.sql, userId, 61);
    await fail(userId, keyIds[0] ?? "", { code: 429, retryAfter: 60 }, "pro");
    expect(keyIds.slice(1)).toContain((await lease(service, userId, { model: "pro" })).key_id);
  });

  test("of keys for any provider is shared among those", async () => {
    const { userId, keyIds } = await makeAccount(2, null);
    await fail(userId, keyIds[0] ?? "", { code: 402 });
    expect((await states(keyIds)).map(({ state }) => state)).toEqual(["cooling_down", "cooling_down"]);
  });

  test("never shortens a block of another key, nor touches a disabled one; a refusal and a dead key are one key's", async () => {
    const { userId, keyIds } = await makeAccount(4);
    const [a = "", b = "", c = "", d = ""] = keyIds;
    await db.sql`update api_key_health set blocked_until = now() + interval '1 day' where user_api_key_id = ${b}`;
    await fail(userId, c, { code: 403 });
    await fail(userId, d, { outcome: "refused" });
    expect((await states(keyIds)).map(({ state }) => state)).toEqual([
      "available",
      "cooling_down",
      "disabled",
      "cooling_down",
    ]);
    await fail(userId, a, { code: 429, retryAfter: 600 });
    const after = await states(keyIds);
    expect(after.map(({ reason }) => reason)).toEqual([
      "rate_limited",
      "blocked_by_operator",
      "invalid_key",
      "rate_limited",
    ]);
    expect(after[2]).toMatchObject({ blocked_until: null, state: "disabled" });
  });

  test("24 reports of one outage on all keys at once are one failure", async () => {
    const { userId, keyIds } = await makeAccount(8);
    const leases: string[] = [];
    for (let i = 0; i < 24; i += 1) leases.push(await leaseOf(userId, keyIds[i % 8] ?? ""));
    const told = await Promise.all(leases.map((leaseId) => report(service, userId, { leaseId, code: 429 })));
    expect(told.filter(({ effect }) => effect === "cooled")).toHaveLength(1);
    for (const each of told) expect(each.consecutive_failures).toBe(1);
    for (const each of await states(keyIds)) expect(each.consecutive_failures).toBe(1);
  });

  test("the next outage is the account's second, whichever key reports it; a success of any ends them", async () => {
    const { userId, keyIds } = await makeAccount(3);
    const [a = "", b = "", c = ""] = keyIds;
    for (const [i, keyId] of [a, b, c].entries()) {
      expect(await fail(userId, keyId, { code: 429 })).toMatchObject({ consecutive_failures: i + 1 });
      expect(await fail(userId, keyId, { code: 429 }, "pro")).toMatchObject({
        consecutive_failures: i + 1,
        scope: "model",
      });
      await passPoolTime(db.sql, userId, 200);
    }
    expect(await report(service, userId, { leaseId: await leaseOf(userId, a, "pro") })).toMatchObject({
      effect: "recovered",
    });
    expect(await fail(userId, b, { code: 429 })).toMatchObject({ consecutive_failures: 1 });
    expect(await fail(userId, c, { code: 429 }, "pro")).toMatchObject({ consecutive_failures: 1 });
  });
});

test("an account has at most 100 keys; a word of control characters is none", async () => {
  const { userId } = await makeAccount(100);
  await expect(addKey(db.sql, userId, { provider: "openai", account: " acme " })).rejects.toMatchObject({
    code: "PT422",
  });
  await addKey(db.sql, userId, { provider: "gemini", account: "acme" });
  await expect(addKey(db.sql, userId, { account: "a\u0007b" })).rejects.toThrow(
    "user_api_keys_account_check",
  );
  const alone = await addKey(db.sql, userId, { account: "  " });
  expect(await db.sql`select account from user_api_keys where id = ${alone}`).toEqual([{ account: null }]);
});

describe("locks", () => {
  /** Holds the row of a key while `work` runs. */
  const hold = (keyId: string, work: () => Promise<unknown>) =>
    db.sql.begin(async (tx) => {
      await tx`select from user_api_keys where id = ${keyId} for update`;
      await work();
    });

  test("an operator who holds the health row of another key: the report gives way, and is taken when they are done", async () => {
    const { userId, keyIds } = await makeAccount(3);
    const leaseId = await leaseOf(userId, keyIds[0] ?? "");
    const told = await during(
      db.sql,
      (tx) => tx`select from api_key_health where user_api_key_id = ${keyIds[2] ?? ""} for update`,
      () => report(service, userId, { leaseId, code: 429 }),
      // While the report waits, callers can lease keys without waiting.
      async () => void (await Promise.all(keyIds.map(() => lease(service, userId)))),
    );
    expect(told).toMatchObject({ effect: "cooled" });
    for (const each of await states(keyIds)) expect(each.state).toBe("cooling_down");
  });

  test("a key that leaves the account, or is disabled, while a report waits for it: it is left alone", async () => {
    const { userId, keyIds } = await makeAccount(3);
    const [a = "", b = "", c = ""] = keyIds.toSorted();
    const leaseId = await leaseOf(userId, a);
    const told = await during(
      db.sql,
      (tx) => tx`select from user_api_keys where id in (${b}, ${c}) for update`,
      () => report(service, userId, { leaseId, code: 429 }),
      async (tx) => {
        await tx`update user_api_keys set account = null where id = ${b}`;
        await tx`update user_api_keys set is_active = false where id = ${c}`;
      },
    );
    expect(told).toMatchObject({ effect: "cooled" });
    expect((await states([a, b, c])).map(({ state, reason }) => [state, reason])).toEqual([
      ["cooling_down", "rate_limited"],
      ["available", null],
      ["disabled", "disabled_by_operator"],
    ]);
  });

  test("an operator who holds a key and then takes another: the report that waits for the one and holds the other gives way", async () => {
    const { userId, keyIds } = await makeAccount(3);
    const [first = "", , last = ""] = keyIds.toSorted();
    const leaseId = await leaseOf(userId, first);
    const told = await during(
      db.sql,
      (tx) => tx`select from user_api_keys where id = ${last} for update`,
      () => report(service, userId, { leaseId, code: 429 }),
      // If the report did not give way, this statement would cause a deadlock.
      (tx) => tx`select from user_api_keys where id = ${first} for update`,
    );
    expect(told).toMatchObject({ effect: "cooled" });
  });

  test("a report that waits for one key and then for another waits .3 s in all, not for each of them", async () => {
    const { userId, keyIds } = await makeAccount(3);
    const [, second = "", third = ""] = keyIds.toSorted();
    const leaseId = await leaseOf(userId, second);
    const giveUpMs = async () => {
      let reported: Promise<unknown> = Promise.resolve();
      const start = performance.now();
      await hold(third, async () => {
        await hold(second, async () => {
          // In a transaction, so that the call is not retried.
          reported = service.begin((tx) => report(tx as never, userId, { leaseId, code: 429 }));
          reported.catch(() => {});
          await sleep(200);
        });
        await expect(reported).rejects.toMatchObject({ code: "55P03" });
      });
      return performance.now() - start;
    };
    // With .3 s for each wait, a try takes at least 500 ms. A slow machine may delay one try, hardly each of five.
    let least = Infinity;
    for (let tries = 0; tries < 5 && least >= 450; tries += 1) least = Math.min(least, await giveUpMs());
    expect(least).toBeLessThan(450);
  });

  test("a report whose time for waits is over still takes the keys that are free", async () => {
    const { userId, keyIds } = await makeAccount(3);
    const [first = "", second = ""] = keyIds.toSorted();
    const leaseId = await leaseOf(userId, first);
    let queued: Promise<unknown> = Promise.resolve();
    let reported: Promise<unknown> = Promise.resolve();
    await hold(second, async () => {
      queued = hold(second, () => sleep(200));
      await untilWaiting(db.sql, "for update");
      // The report waits 200 ms in the queue behind this holder and the next one, then 200 ms for the next one.
      reported = report(service, userId, { leaseId, code: 429 });
      await sleep(200);
    });
    expect(await reported).toMatchObject({ effect: "cooled" });
    await queued;
    for (const each of await states(keyIds)) expect(each.state).toBe("cooling_down");
  });

  test("many reporters and leasers, and an operator who edits all keys in any order: nobody fails, and all keys agree", async () => {
    const { userId, keyIds } = await makeAccount(8);
    const count = LONG_TESTS ? 16 : 8;
    let working = count;
    const reporters = Array.from({ length: count }, async (_, i) => {
      for (let round = 0; round < ROUNDS; round++)
        await fail(
          userId,
          keyIds[Math.floor(Math.random() * 8)] ?? "",
          { code: 429, retryAfter: 0.005 },
          i % 2 === 0 ? null : "pro",
        );
      working -= 1;
    });
    const leasers = Array.from({ length: count / 2 }, async () => {
      while (working > 0) await tryLease(service, userId, { model: "pro" });
    });
    const operator = (async () => {
      while (working > 0) {
        const order = keyIds.toSorted(() => Math.random() - 0.5);
        await db.sql`
          update api_key_health h set blocked_until = null, consecutive_failures = 0
          from unnest(${order}::uuid[]) with ordinality o (id, place) where h.user_api_key_id = o.id`;
        await sleep(20);
      }
    })();
    await Promise.all([...reporters, ...leasers, operator]);
    await fail(userId, keyIds[0] ?? "", { code: 429, retryAfter: 900 });
    const after = await states(keyIds);
    for (const each of after)
      expect(each).toMatchObject({ blocked_until: after[0]?.blocked_until, state: "cooling_down" });
  });
});
