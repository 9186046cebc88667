import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  addAgent,
  addKey,
  health,
  lease,
  makeUser,
  passPoolTime,
  type ReportOptions,
  report,
} from "../../support/keys.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

/*
 * Tests that the same refusal of two keys is about the request, and then the effect of the first report is lifted. Also tests that the
 * reports of one agent can be undone.
 */

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 8);
});
afterAll(() => db.drop());

const REFUSED = { outcome: "refused" } as const;
const BARE_403 = { code: 403 } as const;

/** Makes two keys with a lease each, and returns the reports on them. */
async function pair(options: { account?: string; model?: string } = {}) {
  const userId = await makeUser(db.sql);
  const [a, b] = [await addKey(db.sql, userId, options), await addKey(db.sql, userId, options)];
  const leases = new Map<string, string>();
  for (let i = 0; i < 2; i += 1) {
    const { key_id, lease_id } = await lease(service, userId, options);
    leases.set(key_id, lease_id);
  }
  const [first = "", second = ""] = [leases.get(a), leases.get(b)];
  return {
    userId,
    a,
    b,
    first,
    second,
    tell: (leaseId: string, what: ReportOptions) => report(service, userId, { leaseId, ...what }),
  };
}

describe("same_answer_as", () => {
  test("lifts a block: both keys are free, the second report is the request's fault, sent again it is a duplicate", async () => {
    const { a, b, first, second, tell } = await pair();
    expect(await tell(first, REFUSED)).toMatchObject({ effect: "cooled", state: "cooling_down" });
    const lifted = { outcome: "caller_fault", scope: "request", effect: "lifted", state: "available" };
    expect(await tell(second, { ...REFUSED, sameAnswerAs: first })).toMatchObject(lifted);
    for (const id of [a, b])
      expect(await health(db.sql, id)).toMatchObject({ state: "available", reason: null });
    expect(await tell(second, { ...REFUSED, sameAnswerAs: first })).toMatchObject({
      ...lifted,
      effect: "duplicate",
    });
  });

  test("enables a key that a bare 403 disabled: it rests a minute, and the breaker has room again", async () => {
    const { userId, a, b, first, second, tell } = await pair();
    expect(await tell(first, BARE_403)).toMatchObject({ effect: "disabled" });
    expect(await tell(second, { ...BARE_403, sameAnswerAs: first })).toMatchObject({
      effect: "lifted",
      outcome: "caller_fault",
    });
    expect(await health(db.sql, b)).toMatchObject({ state: "available", is_active: true });
    const rests = await health(db.sql, a);
    expect(rests).toMatchObject({
      state: "cooling_down",
      is_active: true,
      reason: "invalid_key",
      consecutive_failures: 0,
    });
    await passPoolTime(db.sql, userId, 61);
    const keys = [await lease(service, userId), await lease(service, userId)];
    expect(keys.map(({ key_id }) => key_id).toSorted()).toEqual([a, b].toSorted());
  });

  test("of a limit: the count goes back", async () => {
    const { userId, a, first, second, tell } = await pair();
    await db.sql`update api_key_health set consecutive_failures = 2 where user_api_key_id = ${a}`;
    expect(await tell(first, { code: 429 })).toMatchObject({ consecutive_failures: 3 });
    expect(await tell(second, { code: 429, sameAnswerAs: first })).toMatchObject({ effect: "lifted" });
    expect(await health(db.sql, a)).toMatchObject({ consecutive_failures: 2, state: "available" });
    expect(userId).toBeDefined();
  });

  test("of a model, and of all keys of an account", async () => {
    const { userId, first, second, tell } = await pair({ account: "acme", model: "pro" });
    await tell(first, { code: 429 });
    expect(
      await db.sql`select from api_key_model_health m join user_api_keys k on k.id = m.user_api_key_id where k.user_id = ${userId} and m.blocked_until > now()`,
    ).toHaveLength(2);
    expect(await tell(second, { code: 429, sameAnswerAs: first })).toMatchObject({ effect: "lifted" });
    expect(
      await db.sql`select from api_key_model_health m join user_api_keys k on k.id = m.user_api_key_id where k.user_id = ${userId} and m.blocked_until > now()`,
    ).toHaveLength(0);
    const shared = await pair({ account: "acme" });
    await shared.tell(shared.first, { code: 402 });
    expect(await shared.tell(shared.second, { code: 402, sameAnswerAs: shared.first })).toMatchObject({
      effect: "lifted",
    });
    for (const id of [shared.a, shared.b])
      expect(await health(db.sql, id)).toMatchObject({ state: "available", consecutive_failures: 0 });
  });

  test("a third key: its report is the request's fault as well, by either of the others", async () => {
    const { userId, first, second, tell } = await pair();
    await addKey(db.sql, userId);
    const third = [(await lease(service, userId)).lease_id, (await lease(service, userId)).lease_id];
    await tell(first, BARE_403);
    await tell(second, { ...BARE_403, sameAnswerAs: first });
    const rows =
      await db.sql`select id, user_api_key_id from api_key_usage_log where id = any(${[second, ...third]})`;
    const keyOf = (id: string) => rows.find((row) => row.id === id)?.user_api_key_id;
    const last = third.find((id) => keyOf(id) !== keyOf(second)) ?? "";
    expect(await tell(last, { ...BARE_403, sameAnswerAs: second })).toMatchObject({
      outcome: "caller_fault",
      effect: "ignored",
    });
  });

  test.each([
    [
      "one that a newer report has moved",
      ({ a, tell, userId }: Awaited<ReturnType<typeof pair>>) =>
        leaseOn(userId, a).then((leaseId) => tell(leaseId, { code: 429, retryAfter: 900 })),
    ],
    [
      "one that an operator has prolonged",
      ({ a }: Awaited<ReturnType<typeof pair>>) =>
        db.sql`update api_key_health set blocked_until = now() + interval '1 h' where user_api_key_id = ${a}`,
    ],
  ])("a block stays: %s", async (_, move) => {
    const made = await pair();
    await made.tell(made.first, REFUSED);
    await move(made);
    expect(await made.tell(made.second, { ...REFUSED, sameAnswerAs: made.first })).toMatchObject({
      outcome: "caller_fault",
      effect: "ignored",
    });
    expect(await health(db.sql, made.a)).toMatchObject({ state: "cooling_down" });
  });

  test("a block that the report only lengthened is another's, and stays", async () => {
    const { userId, a, first, second, tell } = await pair();
    await tell(await leaseOn(userId, a), { code: 429, retryAfter: 60 });
    expect(await tell(first, { ...REFUSED })).toMatchObject({ effect: "cooled" });
    expect(await tell(second, { ...REFUSED, sameAnswerAs: first })).toMatchObject({
      outcome: "caller_fault",
      effect: "ignored",
    });
    expect(await health(db.sql, a)).toMatchObject({ state: "cooling_down" });
  });

  test.each([
    ["itself", async ({ second }: Awaited<ReturnType<typeof pair>>) => second],
    ["one that does not exist", async () => randomUUID()],
    [
      "another lease of the same key",
      async ({ userId, b, tell }: Awaited<ReturnType<typeof pair>>) => {
        const leaseId = await leaseOn(userId, b);
        await tell(leaseId, { code: 404 });
        await db.sql`update api_key_usage_log set error_code = '403' where id = ${leaseId}`;
        return leaseId;
      },
    ],
    ["one that is not reported", async ({ first }: Awaited<ReturnType<typeof pair>>) => first],
    [
      "another answer",
      async ({ first, tell }: Awaited<ReturnType<typeof pair>>) => {
        await tell(first, { code: 401 });
        return first;
      },
    ],
    [
      "one whose text says that the key is dead",
      async ({ first, tell }: Awaited<ReturnType<typeof pair>>) => {
        await tell(first, { ...BARE_403, dead: true });
        return first;
      },
    ],
    [
      "one of a minute ago",
      async ({ userId, first, tell }: Awaited<ReturnType<typeof pair>>) => {
        await tell(first, BARE_403);
        await passPoolTime(db.sql, userId, 61);
        return first;
      },
    ],
    [
      "another agent's",
      async ({ userId, a }: Awaited<ReturnType<typeof pair>>) => {
        const { tokenHash } = await addAgent(db.sql, userId);
        const { lease_id: leaseId } = await lease(service, userId, { tokenHash, exclude: [] });
        const [row] =
          await db.sql`update api_key_usage_log set user_api_key_id = ${a} where id = ${leaseId} returning id`;
        await report(service, userId, { leaseId, tokenHash, ...BARE_403 });
        return row?.id as string;
      },
    ],
  ])("that names %s is a report like any other", async (_, named) => {
    const made = await pair();
    const sameAnswerAs = await named(made);
    expect(await made.tell(made.second, { ...BARE_403, sameAnswerAs })).toMatchObject({
      outcome: "invalid_key",
      effect: "disabled",
    });
  });

  test("a key that is dead by the words of its own answer is disabled", async () => {
    const { first, second, tell } = await pair();
    await tell(first, BARE_403);
    expect(await tell(second, { ...BARE_403, dead: true, sameAnswerAs: first })).toMatchObject({
      effect: "disabled",
    });
  });

  test("crosswise, 8 pairs at once, each report sent twice: each lift once, nobody is stuck, no key stays blocked", async () => {
    for (let round = 0; round < (LONG_TESTS ? 20 : 4); round += 1) {
      const userId = await makeUser(db.sql);
      const account = round % 2 === 0 ? undefined : "acme";
      const keyIds = [
        await addKey(db.sql, userId, { ...(account && { account }) }),
        await addKey(db.sql, userId, { ...(account && { account }) }),
      ];
      const all = Array.from({ length: 8 }, async () => {
        const [x = "", y = ""] = [
          await leaseOn(userId, keyIds[0] ?? ""),
          await leaseOn(userId, keyIds[1] ?? ""),
        ];
        const [x2, y2] = [await leaseOn(userId, keyIds[0] ?? ""), await leaseOn(userId, keyIds[1] ?? "")];
        await Promise.all([
          report(service, userId, { leaseId: x, ...REFUSED }),
          report(service, userId, { leaseId: y, ...REFUSED }),
        ]);
        const lifts = [
          { leaseId: y2, sameAnswerAs: x },
          { leaseId: x2, sameAnswerAs: y },
        ];
        return Promise.all(
          [...lifts, ...lifts].map((what) => report(service, userId, { ...REFUSED, ...what })),
        );
      });
      const answers = (await Promise.all(all)).flat();
      expect(answers.filter(({ effect }) => effect === "duplicate")).toHaveLength(16);
      for (const { outcome } of answers) expect(outcome).toBe("caller_fault");
      const free = await Promise.all(keyIds.map((id) => health(db.sql, id)));
      // If the last report came after every lift, it still has its effect.
      for (const { state, reason } of free) expect(state === "available" || reason === "refused").toBe(true);
    }
  });
});

async function leaseOn(userId: string, keyId: string): Promise<string> {
  const [row] = await db.sql<{ id: string }[]>`
    insert into api_key_usage_log (user_api_key_id, user_id, key_generation, issued_at)
    select id, user_id, generation, clock_timestamp() from user_api_keys where id = ${keyId} and user_id = ${userId} returning id`;
  return row?.id ?? "";
}

describe("whose lease it is", () => {
  test("another agent's lease is not found, alone and in a batch; the pool's owner may report it", async () => {
    const userId = await makeUser(db.sql);
    await addKey(db.sql, userId);
    const [mine, other] = [await addAgent(db.sql, userId), await addAgent(db.sql, userId)];
    const { lease_id: leaseId } = await lease(service, userId, { tokenHash: mine.tokenHash });
    await expect(report(service, userId, { leaseId, tokenHash: other.tokenHash })).rejects.toMatchObject({
      code: "PT404",
      message: "lease_not_found",
    });
    const [batch] =
      await service`select public.report_successes(token_hash => ${other.tokenHash}, lease_ids => ${[leaseId]}) as answers`;
    expect(batch?.answers).toEqual([{ kind: "retry" }]);
    expect(await report(service, userId, { leaseId, code: 404 })).toMatchObject({ effect: "ignored" });
    const own = await lease(service, userId, { tokenHash: mine.tokenHash });
    expect(await report(service, userId, { leaseId: own.lease_id, tokenHash: mine.tokenHash })).toMatchObject(
      { effect: "none" },
    );
  });
});

describe("undo_reports", () => {
  test("lifts and enables what an agent's reports still explain, since a moment, and nothing else", async () => {
    const userId = await makeUser(db.sql);
    const keyIds: string[] = [];
    for (let i = 0; i < 6; i += 1) keyIds.push(await addKey(db.sql, userId, { name: `key ${i}` }));
    const [liar, honest] = [await addAgent(db.sql, userId), await addAgent(db.sql, userId)];
    const told = async (
      agent: { tokenHash: string },
      keyId: string | undefined,
      what: ReportOptions,
      model?: string,
    ) => {
      const exclude = keyIds.filter((id) => id !== keyId);
      const { tokenHash } = agent;
      const { lease_id: leaseId, key_id } = await lease(service, userId, {
        tokenHash,
        exclude,
        ...(model && { model }),
      });
      expect(key_id).toBe(keyId);
      return report(service, userId, { leaseId, tokenHash, ...what });
    };
    const [old, dead, blocked, limited, other, byHand] = keyIds;
    await told(liar, old, { code: 429, retryAfter: "80000s" });
    await passPoolTime(db.sql, userId, 600);
    const [{ since } = {}] = await db.sql`select (clock_timestamp() - interval '5 minutes')::text as since`;
    await told(liar, dead, { code: 403 });
    await told(liar, blocked, { code: 429, retryAfter: "80000s" });
    await told(liar, limited, { code: 429, retryAfter: "80000s" }, "pro");
    await told(honest, other, { code: 429, retryAfter: "80000s" });
    await told(liar, byHand, { code: 429, retryAfter: "80000s" });
    await db.sql`update user_api_keys set is_active = false where id = ${byHand ?? ""}`;
    const undo = () =>
      db.sql`select user_api_key_id, model, reason, reason_code from undo_reports(${userId}, ${liar.id}, ${since}) order by key_name`;
    expect(await undo()).toEqual([
      { user_api_key_id: dead, model: null, reason: "invalid_key", reason_code: "403" },
      { user_api_key_id: blocked, model: null, reason: "rate_limited", reason_code: "429" },
      { user_api_key_id: limited, model: "pro", reason: "rate_limited", reason_code: "429" },
    ]);
    expect(await undo()).toEqual([]);
    expect((await Promise.all(keyIds.map((id) => health(db.sql, id)))).map(({ state }) => state)).toEqual([
      "cooling_down",
      "available",
      "available",
      "available",
      "cooling_down",
      "disabled",
    ]);
    const free = new Set<string>();
    for (let i = 0; i < 9; i += 1)
      free.add((await lease(service, userId, { model: "pro" })).key_id ?? "none");
    expect([...free].toSorted()).toEqual([dead, blocked, limited].toSorted());
  });

  test("of an account: one call for all of its keys; another pool is left alone", async () => {
    const made = await pair({ account: "acme" });
    const stranger = await pair({ account: "acme" });
    for (const { tell, first } of [made, stranger]) await tell(first, { code: 402 });
    const undone = await db.sql`select user_api_key_id from undo_reports(${made.userId}, null, '-infinity')`;
    expect(undone).toHaveLength(2);
    expect(await health(db.sql, stranger.a)).toMatchObject({ state: "cooling_down" });
  });
});
