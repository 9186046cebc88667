import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, health, lease, makeUser, pair, passTime, report } from "../../support/keys.ts";

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 8);
});
afterAll(() => db.drop());

async function pool() {
  const userId = await makeUser(db.sql);
  const keyId = await addKey(db.sql, userId);
  return { service, userId, keyId };
}

describe("one lease, one effect", () => {
  test("the same report 20 times in parallel: one effect, one answer, one log row", async () => {
    const { service, userId, keyId } = await pool();
    const { lease_id: leaseId } = await lease(service, userId);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        report(service, userId, { leaseId, code: 429, random: Math.random() }),
      ),
    );
    expect(answers.filter(({ effect }) => effect === "cooled")).toHaveLength(1);
    expect(answers.filter(({ effect }) => effect === "duplicate")).toHaveLength(19);
    expect(new Set(answers.map(({ effect: _, ...answer }) => JSON.stringify(answer))).size).toBe(1);
    expect((await health(db.sql, keyId)).consecutive_failures).toBe(1);
    const [log] =
      await db.sql`select count(*)::int as n from api_key_usage_log where user_api_key_id = ${keyId}`;
    expect(log?.n).toBe(1);
  });

  test("a duplicate repeats the first answer even when the key has moved on", async () => {
    const { service, userId, keyId } = await pool();
    const { lease_id: leaseId } = await lease(service, userId);
    const first = await report(service, userId, { leaseId, code: 429 });
    await db.sql`update api_key_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ${keyId}`;
    expect(await report(service, userId, { leaseId, code: 429 })).toEqual({ ...first, effect: "duplicate" });
    expect(await health(db.sql, keyId)).toMatchObject({ state: "available", consecutive_failures: 0 });
  });

  test("another outcome on a reported lease is 409", async () => {
    const { service, userId, keyId } = await pool();
    const { lease_id: leaseId } = await lease(service, userId);
    await report(service, userId, { leaseId });
    await expect(report(service, userId, { leaseId, code: 403 })).rejects.toMatchObject({
      code: "PT409",
      message: "already_reported",
    });
    expect((await health(db.sql, keyId)).is_active).toBe(true);
  });
});

describe("without a lease id", () => {
  test("the report completes that caller's newest open lease of the key", async () => {
    const { service, userId, keyId } = await pool();
    const [older, newer] = [await lease(service, userId), await lease(service, userId)];
    await report(service, userId, { keyId });
    const rows = await db.sql`
      select id, outcome from api_key_usage_log where user_api_key_id = ${keyId} order by issued_at`;
    expect(rows).toMatchObject([
      { id: older.lease_id, outcome: null },
      { id: newer.lease_id, outcome: "success" },
    ]);
  });

  test("the key of another caller's lease is not reported, nor after a day of one's own", async () => {
    const { service, userId, keyId } = await pool();
    const [token] = await db.sql<{ token: string }[]>`select issue_agent_token(${userId}, 'one') as token`;
    const agent = {
      hash: db.sql`encode(sha256(convert_to(${token?.token ?? ""}, 'UTF8')), 'hex')`,
      report: () => service`select public.report_api_key(
        report => '{"outcome": "success", "rule": "success"}', key_id => ${keyId}, token_hash => ${agent.hash}) as answer`,
    };
    await lease(service, userId);
    await expect(agent.report()).rejects.toMatchObject({ code: "PT404", message: "lease_not_found" });
    await service`select public.lease_api_key(token_hash => ${agent.hash}, live_kids => ${[pair.kid]})`;
    expect(await agent.report()).toMatchObject([{ answer: { effect: "none" } }]);
    // The agent's only lease is reported already, so its second report gets a new row in the log.
    expect(await agent.report()).toMatchObject([{ answer: { effect: "none" } }]);
    const rows = await db.sql`
      select agent_id is not null as agents, issued_at is null as own_row, reported_at is null as open
      from api_key_usage_log where user_api_key_id = ${keyId} order by 1, 2`;
    expect(rows).toMatchObject([
      { agents: false, own_row: false, open: true },
      { agents: true, own_row: false, open: false },
      { agents: true, own_row: true, open: false },
    ]);
    await passTime(db.sql, keyId, 86_401);
    await expect(agent.report()).rejects.toMatchObject({ code: "PT404", message: "lease_not_found" });
  });

  test("a success is stale during a block, and after it when its lease is from before", async () => {
    const { service, userId, keyId } = await pool();
    const leases = [await lease(service, userId), await lease(service, userId), await lease(service, userId)];
    await report(service, userId, { leaseId: leases[0]?.lease_id, code: 429 });
    const stale = { effect: "stale", consecutive_failures: 1 };
    expect(await report(service, userId, { keyId })).toMatchObject({ ...stale, state: "cooling_down" });
    // If the key has no open lease, the report counts as one on a lease that was issued now. It is stale because of the block.
    await db.sql`update api_key_usage_log set reported_at = now(), outcome = 'unknown', effect = 'ignored'
      where user_api_key_id = ${keyId} and reported_at is null`;
    expect(await report(service, userId, { keyId })).toMatchObject({ ...stale, state: "cooling_down" });
  });

  test("a success on a lease from before the last failure is stale, also when its block is over", async () => {
    const { service, userId, keyId } = await pool();
    const leases = [await lease(service, userId), await lease(service, userId)];
    await report(service, userId, { leaseId: leases[0]?.lease_id, code: 429 });
    await passTime(db.sql, keyId, 100);
    expect(await report(service, userId, { keyId })).toMatchObject({
      effect: "stale",
      state: "available",
      consecutive_failures: 1,
    });
  });

  test("with no open lease it counts as issued now, and inside a block that it would escalate it does not", async () => {
    const { service, userId, keyId } = await pool();
    await report(service, userId, { leaseId: (await lease(service, userId)).lease_id });
    expect(await report(service, userId, { keyId, code: 429 })).toMatchObject({
      effect: "cooled",
      consecutive_failures: 1,
    });
    expect(await report(service, userId, { keyId, code: 429 })).toMatchObject({
      effect: "ignored",
      consecutive_failures: 1,
    });
  });
});

describe("what is not the caller's", () => {
  test("an unknown lease or key and one of another pool give the same refusal and no effect", async () => {
    const mine = await pool();
    const theirs = await pool();
    const theirLease = await lease(theirs.service, theirs.userId);
    for (const leaseId of [randomUUID(), theirLease.lease_id]) {
      await expect(report(mine.service, mine.userId, { leaseId, code: 403 })).rejects.toMatchObject({
        code: "PT404",
        message: "lease_not_found",
      });
    }
    for (const keyId of [randomUUID(), theirs.keyId]) {
      await expect(report(mine.service, mine.userId, { keyId, code: 403 })).rejects.toMatchObject({
        code: "PT404",
        message: "key_not_found",
      });
    }
    // Even with the caller's own key in the report, the answer must not show whether a lease is foreign or unknown.
    for (const leaseId of [randomUUID(), theirLease.lease_id]) {
      await expect(report(mine.service, mine.userId, { leaseId, keyId: mine.keyId })).rejects.toMatchObject({
        code: "PT404",
        message: "lease_not_found",
      });
    }
    expect(await health(db.sql, theirs.keyId)).toMatchObject({ is_active: true, last_outcome: null });
  });

  test("a lease with a key that is not its own is refused", async () => {
    const { service, userId } = await pool();
    const other = await pool();
    const { lease_id: leaseId } = await lease(service, userId);
    await expect(report(service, userId, { leaseId, keyId: other.keyId, code: 403 })).rejects.toMatchObject({
      code: "PT422",
      message: "lease_key_mismatch",
    });
  });

  test("no caller at all, an unknown token and a revoked one are refused", async () => {
    const { service, userId } = await pool();
    const [row] = await db.sql<{ token: string }[]>`select issue_agent_token(${userId}, 'gone') as token`;
    const call = (hash: string | null) => service`select public.lease_api_key(token_hash => ${hash})`;
    const hash = (
      await db.sql`select encode(sha256(convert_to(${row?.token ?? ""}, 'UTF8')), 'hex') as hash`
    )[0]?.hash;
    await call(hash);
    await db.sql`update api_key_agents set revoked_at = now() where user_id = ${userId}`;
    for (const bad of [null, "0".repeat(64), hash]) {
      await expect(call(bad)).rejects.toMatchObject({ code: "PT401", message: "invalid_credential" });
    }
  });
});
