import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { POLICY } from "../../../packages/core/src/keys/policy.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { backoff } from "../../support/keys.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { makeOneKey } from "../../support/one-key.ts";

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 8);
});
afterAll(() => db.drop());

const LEASES = LONG_TESTS ? 500 : 100;
const ROUNDS = LONG_TESTS ? 12 : 4;

const oneKey = () => makeOneKey(db.sql, service);

function shuffled<T>(items: T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

describe("one outage is one escalation", () => {
  test(`${LEASES} leases that report 429 at once: n = 1, one block, a log row each`, async () => {
    const { take, sendReport, now, keyId } = await oneKey();
    const leases = await Promise.all(Array.from({ length: LEASES }, take));
    const answers = await Promise.all(leases.map((leaseId) => sendReport({ leaseId, code: 429 })));
    expect(answers.filter(({ effect }) => effect === "cooled")).toHaveLength(1);
    expect(answers.filter(({ effect }) => effect === "ignored")).toHaveLength(LEASES - 1);
    expect(new Set(answers.map((answer) => answer.blocked_until)).size).toBe(1);
    expect(await now()).toMatchObject({ consecutive_failures: 1, state: "cooling_down" });
    const [log] = await db.sql`
      select count(*)::int as n from api_key_usage_log where user_api_key_id = ${keyId} and outcome = 'rate_limited'`;
    expect(log?.n).toBe(LEASES);
  });

  test("half of them arriving after the block has ended: still n = 1, and the key stays available", async () => {
    const { take, sendReport, now, pass } = await oneKey();
    const leases = await Promise.all(Array.from({ length: 40 }, take));
    await Promise.all(leases.slice(0, 20).map((leaseId) => sendReport({ leaseId, code: 429 })));
    await pass(POLICY.rate.base + 1);
    const late = await Promise.all(leases.slice(20).map((leaseId) => sendReport({ leaseId, code: 429 })));
    expect(new Set(late.map(({ effect }) => effect))).toEqual(new Set(["ignored"]));
    expect(await now()).toMatchObject({ consecutive_failures: 1, state: "available" });
  });

  test("a late 429 with a hint sets a block of that length and leaves n alone", async () => {
    const { take, sendReport, now, pass } = await oneKey();
    const [early, late] = [await take(), await take()];
    await sendReport({ leaseId: early, code: 429 });
    await pass(POLICY.rate.base + 1);
    const retryAfter = POLICY.rate.base + 10;
    expect(await sendReport({ leaseId: late, code: 429, retryAfter })).toMatchObject({
      effect: "cooled",
      consecutive_failures: 1,
    });
    expect((await now()).length).toBeCloseTo(retryAfter, 3);
  });
});

describe("the backoff", () => {
  test("429 on a lease issued after each block: twice as long each time, up to the cap", async () => {
    const { take, sendReport, now, pass } = await oneKey();
    for (const [step, seconds] of backoff(POLICY.rate).entries()) {
      const answer = await sendReport({ leaseId: await take(), code: 429 });
      expect(answer).toMatchObject({
        effect: "cooled",
        consecutive_failures: step + 1,
        state: "cooling_down",
      });
      expect((await now()).length).toBeCloseTo(seconds, 3);
      await pass(seconds + 1);
    }
  });

  test("an operator who moves blocked_until back moves the clock of the backoff too", async () => {
    const { take, sendReport, keyId } = await oneKey();
    await sendReport({ leaseId: await take(), code: 429 });
    await db.sql`update api_key_health set blocked_until = now() - interval '1 second' where user_api_key_id = ${keyId}`;
    expect(await sendReport({ leaseId: await take(), code: 429 })).toMatchObject({
      consecutive_failures: 2,
      effect: "cooled",
    });
  });

  test("the backoff of quota, with the same n", async () => {
    const { take, sendReport, now, pass } = await oneKey();
    await sendReport({ leaseId: await take(), code: 429 });
    await pass(POLICY.rate.base + 1);
    for (const seconds of backoff(POLICY.quota).slice(1, -1)) {
      expect(await sendReport({ leaseId: await take(), code: 402 })).toMatchObject({
        outcome: "quota_exhausted",
        effect: "cooled",
      });
      expect((await now()).length).toBeCloseTo(seconds, 3);
      await pass(seconds + 1);
    }
  });

  test("jitter only lengthens, by at most a fifth", async () => {
    const { take, sendReport, now } = await oneKey();
    await sendReport({ leaseId: await take(), code: 429, random: 0.999 });
    expect((await now()).length).toBeCloseTo(POLICY.rate.base * 1.1998, 3);
  });

  test.each([1000, 1_000_000])("n = %d does not overflow", async (n) => {
    const { take, sendReport, now, keyId } = await oneKey();
    await db.sql`update api_key_health set consecutive_failures = ${n} where user_api_key_id = ${keyId}`;
    expect(await sendReport({ leaseId: await take(), code: 429 })).toMatchObject({
      consecutive_failures: n + 1,
    });
    expect((await now()).length).toBeCloseTo(POLICY.rate.cap, 3);
  });

  test("after 24 hours without a failure n counts from 0", async () => {
    const { take, sendReport, pass } = await oneKey();
    await sendReport({ leaseId: await take(), code: 429 });
    await pass(POLICY.rate.base + 1);
    await sendReport({ leaseId: await take(), code: 429 });
    await pass(86_300);
    expect(await sendReport({ leaseId: await take(), code: 429 })).toMatchObject({ consecutive_failures: 3 });
    await pass(86_401);
    expect(await sendReport({ leaseId: await take(), code: 429 })).toMatchObject({ consecutive_failures: 1 });
  });
});

describe("hints", () => {
  test("simultaneous 429s with hints 1, 60, 300 and none, in random orders and at once: the greatest stays", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { take, sendReport, now } = await oneKey();
      const hints = shuffled<number | undefined>([1, 60, 300, undefined]);
      const reports = await Promise.all(
        hints.map(async (hint) => ({ leaseId: await take(), code: 429, ...(hint && { retryAfter: hint }) })),
      );
      if (round < ROUNDS / 2) for (const what of reports) await sendReport(what);
      else await Promise.all(reports.map(sendReport));
      expect(await now()).toMatchObject({ consecutive_failures: 1 });
      expect((await now()).length).toBeCloseTo(300, 3);
    }
  });

  test("a hint that is shorter than the block of another cause was not used, though the failure counts", async () => {
    const { take, sendReport, now } = await oneKey();
    const [a, b] = [await take(), await take()];
    await sendReport({ leaseId: a, code: 401 });
    expect(await sendReport({ leaseId: b, code: 429, retryAfter: 10 })).toMatchObject({
      effect: "cooled",
      consecutive_failures: 1,
      hint: "ignored",
    });
    expect((await now()).length).toBeGreaterThan(200);
  });

  test("a report never shortens a block", async () => {
    const { take, sendReport, now } = await oneKey();
    const [a, b] = [await take(), await take()];
    await sendReport({ leaseId: a, code: 429, retryAfter: 100 });
    expect(await sendReport({ leaseId: b, code: 429, retryAfter: 10 })).toMatchObject({ effect: "ignored" });
    expect((await now()).length).toBeCloseTo(100, 3);
  });

  test.each(["0", "-5", "NaN", "", "soon", "1e9", new Date(Date.now() - 60_000).toUTCString()])(
    "retry_after %j is ignored: the formula holds",
    async (retryAfter) => {
      const { take, sendReport, now } = await oneKey();
      await sendReport({ leaseId: await take(), code: 429, retryAfter });
      expect((await now()).length).toBeCloseTo(POLICY.rate.base, 3);
    },
  );

  test.each([
    ["1.5", 1.5],
    [1e9, 86_400],
    ["Fri, 31 Dec 9999 23:59:59 GMT", 86_400],
  ])("retry_after %j blocks for %d seconds", async (retryAfter, seconds) => {
    const { take, sendReport, now } = await oneKey();
    await sendReport({ leaseId: await take(), code: 429, retryAfter });
    expect((await now()).length).toBeCloseTo(seconds, 3);
  });

  test("retry_after as an HTTP-date blocks until then", async () => {
    const { take, sendReport, now } = await oneKey();
    const until = new Date(Date.now() + 900_000).toUTCString();
    await sendReport({ leaseId: await take(), code: 429, retryAfter: until });
    expect((await now()).blocked_until).toEqual(new Date(until));
  });
});
