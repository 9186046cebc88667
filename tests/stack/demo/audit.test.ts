import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { audit } from "../../../packages/local/src/demo/audit.ts";
import type { PoolKey } from "../../../packages/local/src/demo/pool.ts";
import { count, DemoRecord, type StatusCounts } from "../../../packages/local/src/demo/record.ts";
import type { DemoRun } from "../../../packages/local/src/demo/run.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, lease, makeUser, report } from "../../support/keys.ts";

let database: Clone;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

let pool: { userId: string; keys: PoolKey[]; liar: { id: string; token: string } };
let record: DemoRecord;
let provided: StatusCounts;
let revoked: boolean;
let keyId: string;

/** Makes a reported lease that is in all three records: the log, the agents' record, and the provider's counts. */
async function serve(status: 200 | 403 | 429 | 500): Promise<string> {
  const { lease_id } = await lease(database.sql, pool.userId);
  const told = { leaseId: lease_id, retryAfter: 60, ...(status === 200 ? {} : { code: status }) };
  await report(database.sql, pool.userId, told);
  record.leases += 1;
  count(record.byFetch, String(status));
  count(provided, String(status));
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
    poolProvider: "openai-demo",
  };
  pool = { userId, keys: [key], liar: { id: randomUUID(), token: "" } };
  record = new DemoRecord();
  provided = {};
  revoked = false;
});

function check() {
  const provider = { counts: () => ({ ...provided }), isRevoked: () => revoked };
  return audit({ sql: database.sql, pool, record, provider } as unknown as DemoRun);
}

/** Inserts a lease without the service, `seconds` after the last report. */
async function forge(seconds: number): Promise<void> {
  await database.sql`
    insert into api_key_usage_log (id, user_api_key_id, user_id, key_generation, issued_at)
    select ${randomUUID()}, ${keyId}, ${pool.userId}, 1, max(reported_at) + make_interval(secs => ${seconds})
    from api_key_usage_log where user_api_key_id = ${keyId}`;
}

describe("audit", () => {
  test("finds nothing where nothing is wrong", async () => {
    for (const status of [200, 500, 200, 429] as const) await serve(status);
    expect(await check()).toEqual({
      ...{ wrong: 0, leases: 4, wronglyDisabled: [], mismatches: [] },
      ...{ limited: 0, servedBeside: 0, blaming: 0, liedAbout: 0 },
      provided: [{ 200: 2, 429: 1, 500: 1 }],
    });
  });

  test("a model that rests is no block of another one", async () => {
    const limited = await lease(database.sql, pool.userId, { model: "pro" });
    await report(database.sql, pool.userId, { leaseId: limited.lease_id, code: 429, retryAfter: 60 });
    const other = await lease(database.sql, pool.userId, { model: "flash" });
    await report(database.sql, pool.userId, { leaseId: other.lease_id });
    record.leases += 2;
    for (const status of ["429", "200"]) {
      count(record.byFetch, status);
      count(provided, status);
    }
    expect(await check()).toMatchObject({ wrong: 0, mismatches: [], limited: 1, servedBeside: 1 });
    await database.sql`update api_key_usage_log set model = 'pro' where id = ${other.lease_id}`;
    expect(await check()).toMatchObject({ wrong: 1, servedBeside: 0 });
  });

  test("a lie that still blocks, and a refused prompt that stopped a key, are found", async () => {
    const { lease_id } = await lease(database.sql, pool.userId);
    await database.sql`update api_key_usage_log set agent_id = ${pool.liar.id} where id = ${lease_id}`;
    await report(database.sql, pool.userId, { leaseId: lease_id, code: 429, retryAfter: 60 });
    expect(await check()).toMatchObject({ liedAbout: 1, mismatches: [], limited: 0 });
    await database.sql`update api_key_usage_log set outcome = 'caller_fault', agent_id = null where id = ${lease_id}`;
    expect(await check()).toMatchObject({ blaming: 1, liedAbout: 0 });
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

  test("a key that is disabled though the provider has not revoked it is a good key lost", async () => {
    await serve(403);
    expect((await check()).wronglyDisabled).toEqual(["only"]);
    revoked = true;
    expect((await check()).wronglyDisabled).toEqual([]);
  });

  test("names each book that disagrees", async () => {
    await serve(200);
    await database.sql`update user_api_keys set usage_count = usage_count + 1 where id = ${keyId}`;
    expect((await check()).mismatches).toEqual(["only: usage_count, leases in the log: 2 and 1"]);
    await database.sql`update user_api_keys set usage_count = usage_count - 1 where id = ${keyId}`;
    provided[429] = 1;
    expect((await check()).mismatches).toEqual([
      "only: calls in the log, calls to the provider: 1 and 2",
      "only: rate_limited in the log, answers of the provider: 0 and 1",
      "calls to the provider that no agent made: 1",
    ]);
    // Record that an agent got a 200 through the gateway, by a second call to the provider. The log has no lease for this call.
    count(record.byGateway, "200");
    record.attempts = 1;
    expect((await check()).mismatches.slice(2)).toEqual([
      "calls that the provider served and no agent got: -1",
      "leases in the log that no agent got: -1",
    ]);
  });

  test("a page of a proxy is no news of a key, and must not be logged as any", async () => {
    const { lease_id } = await lease(database.sql, pool.userId);
    await report(database.sql, pool.userId, { leaseId: lease_id, outcome: "intermediary" });
    record.leases = 1;
    count(record.byFetch, "403 page");
    provided = { "403 page": 1 };
    expect((await check()).mismatches).toEqual([]);
    provided = { "403": 1 };
    expect((await check()).mismatches).toEqual([
      "only: invalid_key in the log, answers of the provider: 0 and 1",
      "only: intermediary in the log, answers of the provider: 1 and 0",
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
