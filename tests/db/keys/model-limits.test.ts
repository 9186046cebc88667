import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { POLICY } from "../../../packages/core/src/keys/policy.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  addKey,
  askOnce,
  backoff,
  blockModel,
  health,
  lease,
  leaseMany,
  limitModel,
  makeUser,
  passPoolTime,
  report,
  reportAndLease,
  reportMany,
  tryLease,
} from "../../support/keys.ts";
import { during } from "../../support/waits.ts";

/* Tests that a key that is blocked for one model stays ready for other models, and that other keys stay ready for that model. */

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 24);
});
afterAll(() => db.drop());

async function makePool(size: number, options: { priority?: number; usageCount?: number } = {}) {
  const userId = await makeUser(db.sql);
  const keyIds: string[] = [];
  for (let i = 0; i < size; i += 1) keyIds.push(await addKey(db.sql, userId, options));
  return { userId, keyIds };
}

const limit = (...what: [userId: string, keyId: string, model?: string, retryAfter?: number]) =>
  limitModel(service, ...what);
const modelRow = async (keyId: string, model = "pro") =>
  (await db.sql`select * from api_key_model_health where user_api_key_id = ${keyId} and model = ${model}`)[0];

describe("a 429 on a lease with a model", () => {
  test("stops that model of that key: the other model and other keys go on, and the key itself is well", async () => {
    const { userId, keyIds } = await makePool(2);
    const [first = "", second = ""] = keyIds.toSorted();
    expect(await limit(userId, first)).toMatchObject({
      effect: "cooled",
      scope: "model",
      model: "pro",
      state: "cooling_down",
      consecutive_failures: 1,
    });
    for (let i = 0; i < 4; i += 1)
      expect((await lease(service, userId, { model: "pro" })).key_id).toBe(second);
    expect(await lease(service, userId, { model: "flash" })).toMatchObject({ key_id: first, model: "flash" });
    expect(await health(db.sql, first)).toMatchObject({
      state: "available",
      consecutive_failures: 0,
      blocked_until: null,
    });
    expect(
      await db.sql`select state, limited_models from api_key_states where user_api_key_id = ${first}`,
    ).toMatchObject([{ state: "available", limited_models: ["pro"] }]);
    await limit(userId, second, "pro", 90);
    const none = await tryLease(service, userId, { model: "pro" });
    expect(none).toMatchObject({ kind: "none", cooling_down: 0, limited: 2, disabled: 0 });
    if (none.kind === "none") expect(none.retry_after).toBeGreaterThan(50);
    if (none.kind === "none") expect(none.retry_after).toBeLessThanOrEqual(60);
    // A lease that names no model gets a key in spite of the limits.
    expect((await tryLease(service, userId)).kind).toBe("leased");
  });

  test("a key that cools and one that is limited: each is counted once, the sooner end is told", async () => {
    const { userId, keyIds } = await makePool(2);
    await limit(userId, keyIds[0] ?? "", "pro", 300);
    await db.sql`update api_key_health set blocked_until = clock_timestamp() + interval '100 s' where user_api_key_id = ${keyIds[1] ?? ""}`;
    expect(await tryLease(service, userId, { model: "pro" })).toMatchObject({
      cooling_down: 1,
      limited: 1,
      retry_after: 100,
    });
  });

  test("500 of one outage are one failure; half of them come when it is over", async () => {
    const { userId, keyIds } = await makePool(1);
    const leases: string[] = [];
    for (let i = 0; i < 10; i += 1)
      leases.push(
        ...[await leaseMany(service, userId, 50, { model: "pro" })]
          .flat()
          .map((l) => ("lease_id" in l ? l.lease_id : "")),
      );
    const told = (ids: string[]) =>
      Promise.all(ids.map((leaseId) => report(service, userId, { leaseId, code: 429 })));
    const first = await told(leases.slice(0, 250));
    expect(first.filter(({ effect }) => effect === "cooled")).toHaveLength(1);
    expect(first.every((answer) => answer.scope === "model" && answer.consecutive_failures === 1)).toBe(true);
    await passPoolTime(db.sql, userId, 100);
    expect((await told(leases.slice(250))).map(({ effect }) => effect)).toEqual(Array(250).fill("ignored"));
    expect(await modelRow(keyIds[0] ?? "")).toMatchObject({ consecutive_failures: 1 });
    expect(
      await db.sql`select count(*)::int as n from api_key_usage_log where user_id = ${userId} and outcome is not null`,
    ).toEqual([{ n: 500 }]);
  });

  test("the ladder: each outage in a row blocks twice as long, and a success ends it", async () => {
    const { userId, keyIds } = await makePool(1);
    const expected = backoff(POLICY.rate);
    const seconds: number[] = [];
    for (let i = 0; i < expected.length; i += 1) {
      const { lease_id: leaseId } = await lease(service, userId, { model: "pro" });
      expect(await report(service, userId, { leaseId, code: 429 })).toMatchObject({
        consecutive_failures: i + 1,
      });
      const { blocked_until, last_failure_at } = (await modelRow(keyIds[0] ?? "")) ?? {};
      seconds.push(Math.round((blocked_until - last_failure_at) / 1000));
      await passPoolTime(db.sql, userId, POLICY.rate.cap + 1);
    }
    expect(seconds).toEqual(expected);
    const { lease_id: leaseId } = await lease(service, userId, { model: "pro" });
    expect(await report(service, userId, { leaseId })).toMatchObject({
      effect: "recovered",
      scope: null,
      model: null,
    });
    expect(await modelRow(keyIds[0] ?? "")).toMatchObject({ consecutive_failures: 0 });
  });

  test("a success of a lease from before is stale, in a batch as well; one of another model is none", async () => {
    const { userId, keyIds } = await makePool(1);
    const old = [
      await lease(service, userId, { model: "pro" }),
      await lease(service, userId, { model: "pro" }),
    ];
    const other = await lease(service, userId, { model: "flash" });
    await limit(userId, keyIds[0] ?? "");
    expect(await report(service, userId, { leaseId: other.lease_id })).toMatchObject({ effect: "none" });
    expect(await reportMany(service, userId, [old[0]?.lease_id ?? ""])).toEqual([{ kind: "retry" }]);
    expect(await report(service, userId, { leaseId: old[0]?.lease_id })).toMatchObject({ effect: "stale" });
    await passPoolTime(db.sql, userId, 61);
    expect(await reportMany(service, userId, [old[1]?.lease_id ?? ""])).toEqual([{ kind: "retry" }]);
    expect(await report(service, userId, { leaseId: old[1]?.lease_id })).toMatchObject({ effect: "stale" });
    expect(await modelRow(keyIds[0] ?? "")).toMatchObject({ consecutive_failures: 1 });
  });

  test.each([
    ["the key", "pro", { code: 429, scope: "key" }, "key"],
    ["money", "pro", { code: 402 }, "account"],
    ["the account", "pro", { code: 429, scope: "account" }, "account"],
    ["a model that nobody names", undefined, { code: 429, scope: "model" }, "key"],
  ] as const)("that speaks of %s cools the key", async (_, model, what, scope) => {
    const { userId, keyIds } = await makePool(1);
    const { lease_id: leaseId } = await lease(service, userId, model === undefined ? {} : { model });
    expect(await report(service, userId, { leaseId, ...what })).toMatchObject({
      effect: "cooled",
      scope,
      model: null,
    });
    expect(await health(db.sql, keyIds[0] ?? "")).toMatchObject({ state: "cooling_down" });
    expect(await modelRow(keyIds[0] ?? "")).toBeUndefined();
  });

  test("inside a block of the key is a failure of its own", async () => {
    const { userId, keyIds } = await makePool(1);
    const [first, second] = [await lease(service, userId), await lease(service, userId, { model: "pro" })];
    await report(service, userId, { leaseId: first.lease_id, code: 429 });
    expect(await report(service, userId, { leaseId: second.lease_id, code: 429 })).toMatchObject({
      effect: "cooled",
      scope: "model",
      consecutive_failures: 1,
    });
    expect(await modelRow(keyIds[0] ?? "")).toMatchObject({ consecutive_failures: 1 });
  });

  test("the report's own model counts, and is what the log says", async () => {
    const { userId, keyIds } = await makePool(1);
    const { lease_id: leaseId } = await lease(service, userId, { model: "pro" });
    expect(await report(service, userId, { leaseId, code: 429, model: "flash" })).toMatchObject({
      scope: "model",
      model: "flash",
    });
    expect(await report(service, userId, { leaseId, code: 429, model: "flash" })).toMatchObject({
      effect: "duplicate",
      model: "flash",
    });
    expect(await modelRow(keyIds[0] ?? "")).toBeUndefined();
    expect(await modelRow(keyIds[0] ?? "", "flash")).toBeDefined();
    expect((await lease(service, userId, { model: "pro" })).key_id).toBe(keyIds[0]);
  });

  test("a refusal of one model rests that model; a dead key is dead for all", async () => {
    const { userId, keyIds } = await makePool(1);
    const { lease_id: leaseId } = await lease(service, userId, { model: "pro" });
    expect(await report(service, userId, { leaseId, outcome: "refused", scope: "model" })).toMatchObject({
      scope: "model",
      effect: "cooled",
    });
    expect(await modelRow(keyIds[0] ?? "")).toMatchObject({ reason: "refused", consecutive_failures: 0 });
    const next = await lease(service, userId, { model: "flash" });
    expect(await report(service, userId, { leaseId: next.lease_id, code: 403 })).toMatchObject({
      scope: "key",
      effect: "disabled",
    });
    expect(await tryLease(service, userId, { model: "flash" })).toMatchObject({
      kind: "none",
      disabled: 1,
      limited: 0,
    });
  });

  test("a success of a lease from before a refusal of its model is stale, when that rest is over", async () => {
    const { userId } = await makePool(1);
    const [old, refused] = [
      await lease(service, userId, { model: "pro" }),
      await lease(service, userId, { model: "pro" }),
    ];
    await report(service, userId, { leaseId: refused.lease_id, outcome: "refused", scope: "model" });
    await passPoolTime(db.sql, userId, 301);
    expect(await reportMany(service, userId, [old.lease_id])).toEqual([{ kind: "retry" }]);
    expect(await report(service, userId, { leaseId: old.lease_id })).toMatchObject({ effect: "stale" });
  });

  test("reported and leased in one call: the same model of another key, and none is none", async () => {
    const { userId, keyIds } = await makePool(2);
    const first = await lease(service, userId, { model: "pro" });
    const next = await reportAndLease(
      service,
      userId,
      { leaseId: first.lease_id, code: 429 },
      { model: "pro" },
    );
    expect(next.reported).toMatchObject({ effect: "cooled", scope: "model" });
    expect(next.lease).toMatchObject({
      kind: "leased",
      key_id: keyIds.find((id) => id !== first.key_id),
      model: "pro",
    });
    const last = await reportAndLease(
      service,
      userId,
      { leaseId: "lease_id" in next.lease ? next.lease.lease_id : "", code: 429 },
      { model: "pro" },
    );
    expect(last.lease).toMatchObject({ kind: "none", limited: 2 });
  });
});

describe("no lease of a key for a model after the commit of its block", () => {
  test("committed between the snapshot of a search and its key: the newest row counts", async () => {
    const { userId, keyIds } = await makePool(1);
    const answer = await during(
      db.sql,
      (tx) => tx`select from user_api_keys where id = ${keyIds[0] ?? ""} for update`,
      () => tryLease(service, userId, { model: "pro" }),
      async (tx) => void (await blockModel(tx, keyIds[0] ?? "", 60)),
    );
    expect(answer).toMatchObject({ kind: "none", limited: 1 });
  });

  test("the condition is one of the row itself: Postgres looks at no other row again", async () => {
    const { userId, keyIds } = await makePool(1);
    const search = (table: string) =>
      service.unsafe(`
      select k.id from user_api_keys k
      where k.user_id = '${userId}' and (select pg_sleep(0.4)) is not null
        and ${table}
      for no key update`);
    const own = search("coalesce(k.limited_until[array_position(k.limited_models, 'pro')] <= now(), true)");
    const foreign = search(
      "not exists (select from api_key_model_health m where m.user_api_key_id = k.id and m.blocked_until > now())",
    );
    const both = Promise.all([own, foreign]);
    await sleep(100);
    await blockModel(db.sql, keyIds[0] ?? "", 60);
    // The search that reads the other table in a subquery finds the key, although it was blocked meanwhile. So the key's own row needs a
    // copy of the block.
    expect((await both).map((rows) => rows.length)).toEqual([0, 1]);
  });

  test("1 free of 10 keys and 16 callers, 100 rounds: nobody hears none, nobody gets a blocked key", async () => {
    const { userId, keyIds } = await makePool(10);
    for (const keyId of keyIds.slice(1)) await limit(userId, keyId, "pro", 600);
    for (let round = 0; round < 100; round += 1) {
      if (round === 50) await db.sql`select private.raise_model_mark(${userId}, 0, 'pro')`;
      const taken = await Promise.all(
        Array.from({ length: 16 }, () => tryLease(service, userId, { model: "pro" })),
      );
      expect(taken).toEqual(Array(16).fill(expect.objectContaining({ kind: "leased", key_id: keyIds[0] })));
    }
  });

  test("blocks and resets at random beside 12 callers: none only while all are blocked, no lease that began in a block", async () => {
    const { userId, keyIds } = await makePool(4);
    type Span = { from: number; to: number };
    /** The blocks of each key: `from` is just after the commit of the block, `to` just before the call that ended it. */
    const blocked = new Map<string, Span[]>(keyIds.map((id) => [id, []]));
    const taken: { keyId: string | null; from: number; to: number }[] = [];
    let on = true;
    const callers = Array.from({ length: 12 }, async () => {
      while (on) {
        const from = performance.now();
        const answer = await tryLease(service, userId, { model: "pro" });
        taken.push({ keyId: answer.kind === "leased" ? answer.key_id : null, from, to: performance.now() });
      }
    });
    for (let i = 0; i < 400; i += 1) {
      const keyId = keyIds[Math.floor(Math.random() * 4)] ?? "";
      const spans = blocked.get(keyId) ?? [];
      const open = spans.at(-1);
      if (open?.to === Number.POSITIVE_INFINITY) {
        open.to = performance.now();
        await blockModel(db.sql, keyId, null);
      } else {
        if (i % 3 === 0)
          await db.sql`insert into api_key_model_health (user_api_key_id, model, blocked_until) values (${keyId}, 'pro', now() + interval '1 h')
          on conflict (user_api_key_id, model) do update set blocked_until = excluded.blocked_until, last_reported_at = clock_timestamp()`;
        else await blockModel(db.sql, keyId, 3600);
        spans.push({ from: performance.now(), to: Number.POSITIVE_INFINITY });
      }
    }
    on = false;
    await Promise.all(callers);
    const inside = ({ keyId, from, to }: { keyId: string; from: number; to: number }) =>
      blocked.get(keyId)?.some((span) => span.from < from && to < span.to) ?? false;
    expect(taken.length).toBeGreaterThan(200);
    expect(taken.filter((each) => each.keyId !== null && inside({ ...each, keyId: each.keyId }))).toEqual([]);
    /** Returns whether some key was free in the whole span: none of the key's blocks was made, existed or ended in it. */
    const alwaysFree = ({ from, to }: Span) =>
      keyIds.some((id) => blocked.get(id)?.every((span) => span.to + 100 < from || span.from - 200 > to));
    expect(taken.filter((each) => each.keyId === null && alwaysFree(each))).toEqual([]);
  });

  test("a caller waits for a locked key that is free for its model, and takes no lower tier", async () => {
    const { userId, keyIds } = await makePool(2, { priority: 1 });
    await addKey(db.sql, userId, { priority: 0 });
    await limit(userId, keyIds[1] ?? "");
    const hold = (tx: postgres.ISql) =>
      tx`select from user_api_keys where id = ${keyIds[0] ?? ""} for update`;
    expect(await during(db.sql, hold, () => tryLease(service, userId, { model: "pro" }))).toMatchObject({
      key_id: keyIds[0],
    });
  });

  test("a retry that finds no key of the model in a tier can still wait in the next one", async () => {
    const userId = await makeUser(db.sql);
    await addKey(db.sql, userId, { priority: 2, provider: "other" });
    const keyId = await addKey(db.sql, userId, { priority: 1, provider: "mine" });
    const hold = (tx: postgres.ISql) => tx`select from user_api_keys where id = ${keyId} for update`;
    const ask = () => askOnce(service, userId, { model: "pro", provider: "mine", attempt: 1 });
    expect(await during(db.sql, hold, ask)).toMatchObject({ kind: "leased", key_id: keyId });
  });

  test("a batch of leases for a model takes only keys that are free for it", async () => {
    const { userId, keyIds } = await makePool(4);
    await limit(userId, keyIds[0] ?? "");
    await limit(userId, keyIds[1] ?? "");
    const taken = [await leaseMany(service, userId, 9, { model: "pro" })].flat();
    expect(taken).toHaveLength(9);
    for (const each of taken) {
      expect(keyIds.slice(2)).toContain("key_id" in each ? each.key_id : null);
      expect(each).toMatchObject({ model: "pro" });
    }
  });
});

describe("what operators do", () => {
  test("a reset of the model: late reports change nothing, also with a hint; the copy cannot be edited", async () => {
    const { userId, keyIds } = await makePool(1);
    const [keyId = ""] = keyIds;
    const late = [
      await lease(service, userId, { model: "pro" }),
      await lease(service, userId, { model: "pro" }),
    ];
    await limit(userId, keyId);
    await db.sql`update user_api_keys set limited_until = '{now}', limited_models = '{x}', skipped_count = 5 where id = ${keyId}`;
    expect(await tryLease(service, userId, { model: "pro" })).toMatchObject({ kind: "none" });
    await db.sql`update api_key_model_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ${keyId} and model = 'pro'`;
    for (const [i, retryAfter] of [undefined, 300].entries())
      expect(
        await report(service, userId, {
          leaseId: late[i]?.lease_id,
          code: 429,
          ...(retryAfter && { retryAfter }),
        }),
      ).toMatchObject({ effect: "stale" });
    expect(await lease(service, userId, { model: "pro" })).toMatchObject({ key_id: keyId });
    expect(await modelRow(keyId)).toMatchObject({
      blocked_until: null,
      consecutive_failures: 0,
      reason: null,
    });
  });

  test("a block by hand names the operator; a row is bound to its key and model", async () => {
    const { userId, keyIds } = await makePool(1);
    const [keyId = ""] = keyIds;
    await limit(userId, keyId, "pro", 5);
    await db.sql`update api_key_model_health set blocked_until = now() + interval '1 h' where user_api_key_id = ${keyId}`;
    expect(await modelRow(keyId)).toMatchObject({ reason: "blocked_by_operator", caused_by_log_id: null });
    await passPoolTime(db.sql, userId, 60);
    expect(await tryLease(service, userId, { model: "pro" })).toMatchObject({ kind: "none", limited: 1 });
    await expect(
      db.sql`update api_key_model_health set model = 'x' where user_api_key_id = ${keyId}`,
    ).rejects.toMatchObject({
      message: "health_row_is_bound",
    });
  });

  test("who holds the row of a model: a report is retried, instead of waiting with the key in hand", async () => {
    const { userId, keyIds } = await makePool(1);
    const [keyId = ""] = keyIds;
    await limit(userId, keyId, "pro", 1);
    await passPoolTime(db.sql, userId, 2);
    const { lease_id: leaseId } = await lease(service, userId, { model: "pro" });
    const hold = (tx: postgres.ISql) =>
      tx`select from api_key_model_health where user_api_key_id = ${keyId} for update`;
    const told = service.json({
      ...{ outcome: "rate_limited", rule: "escalate", base_seconds: 30 },
      ...{ cap_seconds: 60, reset_after_seconds: 60 },
    });
    await db.sql.begin(async (tx) => {
      await hold(tx);
      let waits = true;
      // This waiter gives up after 1.5 s. It shows that five reports do not wait for their lock timeouts, which together are longer.
      const waiter = db.sql
        .begin(async (other) => {
          await other`set local lock_timeout = '1500ms'`;
          await hold(other);
        })
        .catch(() => {})
        .then(() => {
          waits = false;
        });
      await sleep(50);
      for (let times = 0; times < 5; times += 1)
        await expect(
          service`select public.report_api_key(user_id => ${userId}, lease_id => ${leaseId}, report => ${told})`,
        ).rejects.toMatchObject({ code: "55P03" });
      expect(waits).toBe(true);
      await waiter;
      expect((await lease(service, userId, { model: "flash" })).key_id).toBe(keyId);
    });
    expect(await report(service, userId, { leaseId, code: 429 })).toMatchObject({
      effect: "cooled",
      consecutive_failures: 2,
    });
  });

  test("the row that explains a model's block is not pruned", async () => {
    const { userId, keyIds } = await makePool(1);
    await limit(userId, keyIds[0] ?? "", "pro", 3600);
    await db.sql`update api_key_usage_log set issued_at = now() - interval '60 days', reported_at = now() - interval '60 days' where user_id = ${userId}`;
    await db.sql`select prune_api_key_usage_log()`;
    expect(await db.sql`select from api_key_usage_log where user_id = ${userId}`).toHaveLength(1);
    await blockModel(db.sql, keyIds[0] ?? "", -1);
    await db.sql`select prune_api_key_usage_log()`;
    expect(await db.sql`select from api_key_usage_log where user_id = ${userId}`).toHaveLength(0);
  });
});

test("names that a caller makes up are bounded, and harm nobody: rows and copies", async () => {
  const { userId, keyIds } = await makePool(1);
  const [keyId = ""] = keyIds;
  await limit(userId, keyId, "pro", 9_000);
  for (let i = 0; i < 300; i += 1) {
    const model = `${"x".repeat(120)}${i}`;
    await limit(userId, keyId, model, 600);
    if (i % 3 === 0) await tryLease(service, userId, { model });
  }
  const [row] = await db.sql`
    select (select count(*)::int from api_key_model_health m where m.user_api_key_id = k.id) as rows,
      cardinality(k.limited_models) as copies, cardinality(k.limited_until) as ends
    from user_api_keys k where k.id = ${keyId}`;
  expect(row?.rows).toBe(200);
  expect(row?.ends).toBe(row?.copies);
  expect(row?.copies).toBeLessThanOrEqual(201);
  // Of all blocks, the block of the model pro ends last. So it stays, while blocks of made-up models are dropped.
  expect(await tryLease(service, userId, { model: "pro" })).toMatchObject({ kind: "none" });
  expect(await askOnce(service, userId)).toMatchObject({ kind: "leased" });
});

test("auth deletes a user whose keys are limited for a model", async () => {
  const { userId, keyIds } = await makePool(1);
  await limit(userId, keyIds[0] ?? "");
  await db.auth`delete from auth.users where id = ${userId}`;
  expect(
    await db.sql`select from api_key_model_health where user_api_key_id = ${keyIds[0] ?? ""}`,
  ).toHaveLength(0);
});
