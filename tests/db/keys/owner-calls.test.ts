import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sealKey } from "../../../packages/core/src/keys/seal.ts";
import { type Actor, anonymousSession, attempt, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, lease, limitModel, makeUser, pair, report } from "../../support/keys.ts";

/* Tests the calls of a pool's owner, who does not use SQL. */

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

async function member(): Promise<{ userId: string; who: Actor }> {
  const userId = await makeUser(db.sql);
  return { userId, who: signedIn(db, userId) };
}

/** Returns the answer of a call, or the code of its refusal. */
async function call(who: Actor, name: string, args: Record<string, unknown> = {}): Promise<unknown> {
  const list = Object.keys(args).map((arg, place) => `${arg} => $${place + 1}`);
  const outcome = await attempt(who, (tx) =>
    tx.unsafe(`select public.${name}(${list.join(", ")}) as answer`, Object.values(args) as never),
  );
  return "refused" in outcome ? outcome.refused : outcome.rows[0]?.answer;
}

async function add(who: Actor, userId: string, more: Record<string, unknown> = {}): Promise<unknown> {
  const key = `sk-${crypto.randomUUID()}`;
  const sealed = await sealKey(pair.sealKey, userId, key);
  return call(who, "add_api_key", {
    key_name: "mine",
    sealed,
    provider: "openai",
    account: null,
    priority: 0,
    ...more,
  });
}

const CALLS: [name: string, args: Record<string, unknown>][] = [
  ["my_api_keys", {}],
  ["my_api_key_pools", {}],
  ["add_api_key", { key_name: "x", sealed: "x" }],
  ["reset_api_key", { key_id: "00000000-0000-4000-8000-000000000000" }],
  ["set_api_key_active", { key_id: "00000000-0000-4000-8000-000000000000", active: true }],
  ["remove_api_key", { key_id: "00000000-0000-4000-8000-000000000000" }],
  ["my_agents", {}],
  ["issue_my_agent_token", { name: "x" }],
  ["revoke_my_agent", { agent_id: "00000000-0000-4000-8000-000000000000" }],
  ["my_api_key_log", {}],
];

test.each(CALLS)("%s refuses an anonymous session", async (name, args) => {
  const userId = await makeUser(db.sql);
  expect(await call(anonymousSession(db, userId), name, args)).toBe("42501");
});

test("a key is added, seen without its text, limited, reset, disabled, enabled, deleted", async () => {
  const { userId, who } = await member();
  const { id } = (await add(who, userId)) as { id: string };
  await limitModel(db.sql, userId, id, "pro", 600);
  const { lease_id } = await lease(db.sql, userId);
  await report(db.sql, userId, { leaseId: lease_id, code: 429, retryAfter: 600 });
  const [key] = (await call(who, "my_api_keys")) as Record<string, unknown>[];
  expect(key).toMatchObject({
    ...{ id, name: "mine", provider: "openai", state: "cooling_down", why: "rate_limited 429" },
    ...{ limited_models: ["pro"], usage_count: 2, last_outcome: "rate_limited" },
  });
  expect(JSON.stringify(key)).not.toContain("hpke");
  expect(await call(who, "my_api_key_pools")).toMatchObject([
    { provider: "openai", cooling_down: 1, available: 0 },
  ]);
  expect(await call(who, "reset_api_key", { key_id: id })).toBeNull();
  expect(await call(who, "my_api_keys")).toMatchObject([{ state: "available", limited_models: [] }]);
  for (const active of [false, true]) {
    await call(who, "set_api_key_active", { key_id: id, active });
    expect(await call(who, "my_api_keys")).toMatchObject([{ state: active ? "available" : "disabled" }]);
  }
  await call(who, "remove_api_key", { key_id: id });
  expect(await call(who, "my_api_keys")).toEqual([]);
});

test("what is not sealed is refused without being repeated; so are a second time, and a bad name", async () => {
  const { userId, who } = await member();
  const sealed = await sealKey(pair.sealKey, userId, "sk-the-same-key-0000000000");
  const plain = await add(who, userId, { sealed: "sk-PLANTED" });
  expect(plain).toMatch(/not a sealed text/);
  expect(plain).not.toContain("PLANTED");
  expect(await add(who, userId, { sealed })).toMatchObject({ hint: "0000" });
  expect(await add(who, userId, { sealed })).toMatch(/the pool has this key already/);
  for (const key_name of ["", "  ", "two\nlines", "x".repeat(201)])
    expect(await add(who, userId, { key_name })).toBe("validation_failed");
  expect(await add(who, userId, { provider: "no name!" })).toMatch(/provider may have/);
});

test("at most 200 keys and 50 live agents, also when many are added at once", async () => {
  const { userId, who } = await member();
  await db.sql`
    insert into user_api_keys (user_id, key_name, api_key_encrypted)
    select ${userId}, 'key ' || n, ${(await sealKey(pair.sealKey, userId, "sk-x")).split("#")[0] ?? ""}
    from generate_series(1, 190) n`;
  const told = await Promise.all(Array.from({ length: 20 }, () => add(who, userId)));
  expect(told.filter((one) => one === "limit_reached")).toHaveLength(10);
  await db.sql`select issue_agent_token(${userId}, 'agent ' || n) from generate_series(1, 40) n`;
  const issued = await Promise.all(
    Array.from({ length: 20 }, (_, n) => call(who, "issue_my_agent_token", { name: `agent ${n}` })),
  );
  expect(issued.filter((one) => one === "limit_reached")).toHaveLength(10);
  const first = issued.find((one) => one !== "limit_reached") as { id: string };
  await call(who, "revoke_my_agent", { agent_id: first.id });
  expect(await call(who, "issue_my_agent_token", { name: "one more" })).toMatchObject({
    token: expect.stringMatching(/^kh_agent_[0-9a-f]{64}$/),
  });
});

describe("of somebody else", () => {
  test("nothing is seen or changed; a key that is there answers as one that is not", async () => {
    const [mine, other] = [await member(), await member()];
    const keyId = await addKey(db.sql, other.userId, { provider: "openai" });
    const { id: agentId } = (await call(other.who, "issue_my_agent_token", { name: "theirs" })) as {
      id: string;
    };
    await lease(db.sql, other.userId);
    for (const [name, args] of [
      ["reset_api_key", { key_id: keyId }],
      ["set_api_key_active", { key_id: keyId, active: false }],
      ["remove_api_key", { key_id: keyId }],
    ] as const) {
      expect(await call(mine.who, name, args)).toBe("key_not_found");
      expect(await call(mine.who, name, { ...args, key_id: crypto.randomUUID() })).toBe("key_not_found");
    }
    expect(await call(mine.who, "revoke_my_agent", { agent_id: agentId })).toBe("agent_not_found");
    for (const name of ["my_api_keys", "my_api_key_pools", "my_agents", "my_api_key_log"])
      expect(await call(mine.who, name)).toEqual([]);
    for (const args of [{ key_id: keyId }, { agent_id: agentId }, { agent_id: other.userId }])
      expect(await call(mine.who, "my_api_key_log", args)).toEqual([]);
    expect(await call(other.who, "my_api_keys")).toMatchObject([{ state: "available", usage_count: 1 }]);
  });
});

test("the log: newest first, by key, agent, outcome and time; when an agent was last used", async () => {
  const { userId, who } = await member();
  const { id: keyId } = (await add(who, userId)) as { id: string };
  const { id: agentId, token } = (await call(who, "issue_my_agent_token", { name: "one" })) as Record<
    string,
    string
  >;
  const [{ hash } = { hash: "" }] = await db.sql<{ hash: string }[]>`
    select encode(sha256(convert_to(${token ?? ""}, 'UTF8')), 'hex') as hash`;
  for (let i = 0; i < 120; i += 1) await lease(db.sql, userId);
  const byAgent = await lease(db.sql, userId, { tokenHash: hash, model: "pro" });
  await report(db.sql, userId, { leaseId: byAgent.lease_id, code: 429, retryAfter: 60 });
  const log = async (args = {}) => (await call(who, "my_api_key_log", args)) as Record<string, unknown>[];
  const all = await log();
  expect(all).toHaveLength(100);
  expect(all[0]).toMatchObject({
    id: byAgent.lease_id,
    agent_id: agentId,
    model: "pro",
    outcome: "rate_limited",
  });
  expect(await log({ agent_id: agentId })).toHaveLength(1);
  expect(await log({ outcome: "rate_limited" })).toHaveLength(1);
  expect(await log({ outcome: "open", agent_id: userId })).toHaveLength(100);
  // `before` is cut to milliseconds, and several leases share a millisecond, so the expected rows are counted with the same cut time.
  const before = new Date(String(all.at(-1)?.at)).toISOString();
  const [earlier] = await db.sql`
    select count(*)::int from api_key_usage_log
    where user_id = ${userId} and coalesce(issued_at, reported_at) < ${before}`;
  expect(earlier?.count).toBeGreaterThan(0);
  expect(await log({ before })).toHaveLength(earlier?.count);
  expect(await log({ key_id: crypto.randomUUID() })).toEqual([]);
  expect(await log({ key_id: keyId, agent_id: agentId })).toHaveLength(1);
  expect(await call(who, "my_agents")).toMatchObject([
    { id: agentId, last_used_at: expect.stringMatching(/^\d{4}-/) },
  ]);
});
