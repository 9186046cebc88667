import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { POLICY } from "../../../packages/core/src/keys/policy.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { makeOneKey } from "../../support/one-key.ts";

/* Tests a block during another block, and reports that arrive too late. */

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 8);
});
afterAll(() => db.drop());

const oneKey = () => makeOneKey(db.sql, service);

describe("blocks of different causes", () => {
  test("5xx: the first two in a row change nothing, the third cools 10 s, n stays", async () => {
    const { take, sendReport, now, pass } = await oneKey();
    const leases = [await take(), await take(), await take(), await take()];
    expect(await sendReport({ leaseId: leases[0], code: 500 })).toMatchObject({
      effect: "ignored",
      state: "available",
    });
    expect(await sendReport({ leaseId: leases[1], code: 503 })).toMatchObject({
      effect: "ignored",
      state: "available",
    });
    expect(await sendReport({ leaseId: leases[2], code: 529 })).toMatchObject({
      effect: "cooled",
      consecutive_failures: 0,
    });
    expect((await now()).length).toBeCloseTo(10, 3);
    const { blocked_until } = await now();
    expect(await sendReport({ leaseId: leases[3], code: 500 })).toMatchObject({ effect: "ignored" });
    expect((await now()).blocked_until).toEqual(blocked_until);
    await pass(11);
    expect(await sendReport({ leaseId: await take(), code: 500 })).toMatchObject({ effect: "cooled" });
  });

  test("5xx further apart than 60 s, or with a success between, never cools", async () => {
    const { take, sendReport, pass } = await oneKey();
    for (let i = 0; i < 5; i += 1) {
      expect(await sendReport({ leaseId: await take(), code: 500 })).toMatchObject({
        effect: "ignored",
        state: "available",
      });
      await pass(31);
    }
    await pass(61);
    for (const code of [500, 500, undefined, 500, 500, 404, 500, 500]) {
      const answer = await sendReport({ leaseId: await take(), ...(code && { code }) });
      expect(answer.state).toBe("available");
    }
  });

  test("a 5xx hint counts, up to 60 s", async () => {
    const { take, sendReport, now } = await oneKey();
    for (let i = 0; i < 3; i += 1) await sendReport({ leaseId: await take(), code: 503, retryAfter: 3600 });
    expect((await now()).length).toBeCloseTo(60, 3);
  });

  test("5xx during a 429 block: nothing moves", async () => {
    const { take, sendReport, now } = await oneKey();
    const leases = await Promise.all(Array.from({ length: 5 }, take));
    await sendReport({ leaseId: leases[0], code: 429 });
    const before = await now();
    for (const leaseId of leases.slice(1))
      expect(await sendReport({ leaseId, code: 500, retryAfter: 50 })).toMatchObject({ effect: "ignored" });
    const after = await now();
    expect(after.blocked_until).toEqual(before.blocked_until);
    expect(after).toMatchObject({ consecutive_failures: 1, reason: "rate_limited" });
  });

  test("429 during a 5xx block and during a 401 block: it escalates", async () => {
    const server = await oneKey();
    const leases = await Promise.all(Array.from({ length: 4 }, server.take));
    for (const leaseId of leases.slice(0, 3)) await server.sendReport({ leaseId, code: 500 });
    expect(await server.sendReport({ leaseId: leases[3], code: 429 })).toMatchObject({
      effect: "cooled",
      consecutive_failures: 1,
    });
    expect((await server.now()).length).toBeCloseTo(POLICY.rate.base, 3);

    const auth = await oneKey();
    const [a, b] = [await auth.take(), await auth.take()];
    expect(await auth.sendReport({ leaseId: a, code: 401 })).toMatchObject({
      effect: "cooled",
      consecutive_failures: 0,
    });
    const rest = await auth.now();
    expect(rest.length).toBeCloseTo(300, 3);
    expect(await auth.sendReport({ leaseId: b, code: 429 })).toMatchObject({
      effect: "cooled",
      consecutive_failures: 1,
    });
    expect((await auth.now()).blocked_until).toEqual(rest.blocked_until);
  });

  test("a bare 401 rests the key for 5 minutes, a second one of the same outage adds nothing", async () => {
    const { take, sendReport, now } = await oneKey();
    const [a, b] = [await take(), await take()];
    expect(await sendReport({ leaseId: a, code: 401 })).toMatchObject({
      outcome: "invalid_key",
      effect: "cooled",
    });
    const before = await now();
    expect(await sendReport({ leaseId: b, code: 401 })).toMatchObject({ effect: "ignored" });
    expect((await now()).blocked_until).toEqual(before.blocked_until);
  });

  test.each([429, 500, 401])("403 during a block by %d disables the key", async (code) => {
    const { take, sendReport, now } = await oneKey();
    const leases = await Promise.all(Array.from({ length: 4 }, take));
    for (const leaseId of leases.slice(0, 3)) await sendReport({ leaseId, code });
    expect(await sendReport({ leaseId: leases[3], code: 403 })).toMatchObject({
      effect: "disabled",
      state: "disabled",
    });
    expect(await now()).toMatchObject({ is_active: false, state: "disabled", reason: "invalid_key" });
  });

  test.each([408, 404, 418, "banana", "", "timeout"])(
    "%j changes nothing but the log and last_*",
    async (code) => {
      const { take, sendReport, now } = await oneKey();
      const before = await now();
      const answer = await sendReport({ leaseId: await take(), code });
      expect(answer).toMatchObject({
        effect: "ignored",
        state: "available",
        consecutive_failures: 0,
        blocked_until: null,
      });
      const after = await now();
      expect(after).toEqual({ ...before, last_outcome: answer.outcome, last_effect: "ignored" });
    },
  );
});

describe("stale news", () => {
  test("A and B leased, B fails, then A succeeds: block and n stay", async () => {
    const { take, sendReport, now, pass } = await oneKey();
    const [a, b, c] = [await take(), await take(), await take()];
    await sendReport({ leaseId: b, code: 429 });
    const before = await now();
    expect(await sendReport({ leaseId: a })).toMatchObject({
      effect: "stale",
      consecutive_failures: 1,
      state: "cooling_down",
    });
    expect((await now()).blocked_until).toEqual(before.blocked_until);
    await pass(POLICY.rate.base + 1);
    expect(await sendReport({ leaseId: c })).toMatchObject({
      effect: "stale",
      consecutive_failures: 1,
      state: "available",
    });
    expect(await sendReport({ leaseId: await take() })).toMatchObject({
      effect: "recovered",
      consecutive_failures: 0,
    });
    expect(await sendReport({ leaseId: await take() })).toMatchObject({
      effect: "none",
      consecutive_failures: 0,
    });
  });
});
