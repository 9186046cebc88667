import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { describe, expect, test } from "vitest";
import { askOnce, blockModel, lease, passPoolTime, report, tryLease } from "../../../support/keys.ts";
import { db, limit, makePool, modelRow, service, useModelFixture } from "./fixture.ts";

useModelFixture();

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
  const name = "x".repeat(120);
  await db.sql`
    insert into api_key_model_health (user_api_key_id, model, blocked_until)
    select ${keyId}, ${name} || n, clock_timestamp() + interval '600 s' from generate_series(1, 190) n`;
  for (let i = 191; i < 221; i += 1) {
    const model = `${name}${i}`;
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
