import { describe, expect, test } from "vitest";
import { POLICY } from "../../../../packages/core/src/keys/policy.ts";
import {
  backoff,
  health,
  lease,
  leaseMany,
  passPoolTime,
  report,
  reportAndLease,
  reportMany,
  tryLease,
} from "../../../support/keys.ts";
import { db, limit, makePool, modelRow, service, useModelFixture } from "./fixture.ts";

/* Tests that a key that is blocked for one model stays ready for other models, and that other keys stay ready for that model. */

useModelFixture();

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

  test("many reports of one outage are one failure; half of them come when it is over", async () => {
    const { userId, keyIds } = await makePool(1);
    const leases: string[] = [];
    for (let i = 0; i < 2; i += 1)
      leases.push(
        ...[await leaseMany(service, userId, 50, { model: "pro" })]
          .flat()
          .map((l) => ("lease_id" in l ? l.lease_id : "")),
      );
    const told = (ids: string[]) =>
      Promise.all(ids.map((leaseId) => report(service, userId, { leaseId, code: 429 })));
    const first = await told(leases.slice(0, 50));
    expect(first.filter(({ effect }) => effect === "cooled")).toHaveLength(1);
    expect(first.every((answer) => answer.scope === "model" && answer.consecutive_failures === 1)).toBe(true);
    await passPoolTime(db.sql, userId, 100);
    expect((await told(leases.slice(50))).map(({ effect }) => effect)).toEqual(Array(50).fill("ignored"));
    expect(await modelRow(keyIds[0] ?? "")).toMatchObject({ consecutive_failures: 1 });
    expect(
      await db.sql`select count(*)::int as n from api_key_usage_log where user_id = ${userId} and outcome is not null`,
    ).toEqual([{ n: 100 }]);
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
