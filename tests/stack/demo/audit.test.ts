import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { audit } from "../../../packages/local/src/demo/audit.ts";
import type { Pool } from "../../../packages/local/src/demo/pool.ts";
import { RunRecord, type StatusCounts } from "../../../packages/local/src/demo/record.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, lease, makeUser, report } from "../../support/keys.ts";

let database: Clone;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

let pool: Pool;
let record: RunRecord;
let provided: StatusCounts;
let keyId: string;

/** One lease that all three books know of. */
async function serve(status: 200 | 403 | 429 | 500): Promise<string> {
  const { lease_id } = await lease(database.sql, pool.userId);
  const told = { leaseId: lease_id, retryAfter: 60, ...(status === 200 ? {} : { code: status }) };
  await report(database.sql, pool.userId, told);
  const seen = record.key(keyId);
  seen.leases += 1;
  seen.answers[status] = (seen.answers[status] ?? 0) + 1;
  provided[status] = (provided[status] ?? 0) + 1;
  return lease_id;
}

beforeEach(async () => {
  const userId = await makeUser(database.sql);
  keyId = await addKey(database.sql, userId, { name: "only", usageCount: 7 });
  const key = {
    id: keyId,
    name: "only",
    value: "",
    plan: { calls: 1, windowMs: 1 },
    startCount: 7,
    provider: "openai" as const,
    pool: "openai-demo",
  };
  pool = { userId, keys: [key], tokens: [], remove: async () => {} };
  record = new RunRecord();
  provided = {};
});

const check = () => audit(database.sql, pool, record, () => provided);

/** A lease written past the service, so many seconds after the last report. */
async function forge(seconds: number): Promise<void> {
  await database.sql`
    insert into api_key_usage_log (id, user_api_key_id, user_id, key_generation, issued_at)
    select ${randomUUID()}, ${keyId}, ${pool.userId}, 1, max(reported_at) + make_interval(secs => ${seconds})
    from api_key_usage_log where user_api_key_id = ${keyId}`;
}

describe("audit", () => {
  test("finds nothing where nothing is wrong", async () => {
    for (const status of [200, 500, 200, 429] as const) await serve(status);
    expect(await check()).toEqual({ wrong: 0, leases: 4, mismatches: [] });
  });

  test.each([
    ["the moment of the block", 429, 0, 1],
    ["inside the block", 429, 59, 1],
    ["the end of the block", 429, 60, 0],
    ["before the block", 429, -0.0001, 0],
    ["long after the disabling", 403, 1e6, 1],
  ] as const)("a lease at %s", async (_when, status, seconds, wrong) => {
    await serve(status);
    await forge(seconds);
    expect((await check()).wrong).toBe(wrong);
  });

  test("names each book that disagrees", async () => {
    await serve(200);
    await database.sql`update user_api_keys set usage_count = usage_count + 1 where id = ${keyId}`;
    expect((await check()).mismatches).toEqual([
      "only: usage_count since the start, leases in the log: 2 and 1",
    ]);
    await database.sql`update user_api_keys set usage_count = usage_count - 1 where id = ${keyId}`;
    provided[429] = 1;
    expect((await check()).mismatches).toEqual([
      "only: answers 429 by the provider, by the agents: 1 and 0",
      "only: leases in the log, calls to the provider: 1 and 2",
    ]);
    provided = { 200: 1 };
    record.key(keyId).answers = { 500: 1 };
    expect((await check()).mismatches).toHaveLength(4);
  });

  test("a page of a proxy is no news of a key, and must not be logged as any", async () => {
    const { lease_id } = await lease(database.sql, pool.userId);
    await report(database.sql, pool.userId, { leaseId: lease_id, outcome: "intermediary" });
    record.key(keyId).leases = 1;
    record.key(keyId).answers = { "403 page": 1 };
    provided = { "403 page": 1 };
    expect((await check()).mismatches).toEqual([]);
    record.key(keyId).answers = { "403": 1 };
    provided = { "403": 1 };
    expect((await check()).mismatches).toEqual([
      "only: invalid_key in the log, 400 or 401 or 403 seen by the agents: 0 and 1",
      "only: intermediary in the log, 403 page or 502 page seen by the agents: 1 and 0",
    ]);
  });

  test("a lease nobody got is excused by a lost answer only", async () => {
    await serve(200);
    await lease(database.sql, pool.userId);
    expect((await check()).mismatches).toEqual([
      "leases in the log that no agent got: 1",
      "leases without a report: 1",
    ]);
    record.lost = 1;
    expect((await check()).mismatches).toEqual([]);
  });
});
