import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { envelope, type Reported, report, tryLease } from "../../support/keys.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { makeOneKey, rounds } from "../../support/one-key.ts";
import { until } from "../../support/until.ts";
import { during } from "../../support/waits.ts";

/*
 * Tests reports of the same key at the same moment, in both orders. A report that changes nothing is treated as earlier than changes that
 * are not committed yet.
 */

const ROUNDS = LONG_TESTS ? 40 : 10;

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 12);
});
afterAll(() => db.drop());

const oneKey = () => makeOneKey(db.sql, service);

function shown(answer: Reported | string): string {
  return typeof answer === "string" ? answer : answer.effect;
}

describe("the same lease", () => {
  test("the same success at once: one effect, one answer", async () => {
    const { take, sendReport, log, now } = await oneKey();
    for (let i = 0; i < ROUNDS; i += 1) {
      const leaseId = await take();
      const answers = await Promise.all([1, 2, 3, 4].map(() => sendReport({ leaseId })));
      expect(answers.map(shown).sort()).toEqual(["duplicate", "duplicate", "duplicate", "none"]);
      expect(await log(leaseId)).toMatchObject({ effect: "none", state_after: "available" });
    }
    expect(await now()).toMatchObject({ last_effect: "none", generation: 1 });
  });

  test("a duplicate leaves no trace, also beside a report of another lease", async () => {
    const { take, sendReport, now } = await oneKey();
    const [first, second] = [await take(), await take()];
    await sendReport({ leaseId: first });
    await sendReport({ leaseId: second, code: 404 });
    expect(await sendReport({ leaseId: first })).toMatchObject({ effect: "duplicate", outcome: "success" });
    expect(await now()).toMatchObject({ last_outcome: "caller_fault", last_effect: "ignored" });
  });

  test("two outcomes at once: one is taken, the other refused", async () => {
    await rounds(ROUNDS, async (pause) => {
      const { take, ask, log, now } = await oneKey();
      const leaseId = await take();
      const answers = await Promise.all([
        pause(0).then(() => ask({ leaseId })),
        pause(1).then(() => ask({ leaseId, code: 429 })),
      ]);
      const [success, failure] = answers.map(shown);
      expect([success, failure]).toEqual(
        success === "none" ? ["none", "already_reported"] : ["already_reported", "cooled"],
      );
      const kept = success === "none" ? "success" : "rate_limited";
      expect(await log(leaseId)).toMatchObject({ outcome: kept });
      // If the 429 has locked the health row at that moment, the success does not wait, and leaves `last_outcome` unwritten.
      const { last_outcome, consecutive_failures } = await now();
      expect(kept === "success" ? [kept, null] : [kept]).toContain(last_outcome);
      expect(consecutive_failures).toBe(kept === "success" ? 0 : 1);
    });
  });

  test("a success and a void at once: reported and kept, or unknown and given back", async () => {
    await rounds(ROUNDS, async (pause) => {
      const { userId, keyId, take, ask, log, now } = await oneKey();
      const leaseId = await take();
      const [answer] = await Promise.all([
        pause(0).then(() => ask({ leaseId })),
        pause(1).then(() => tryLease(service, userId, { releaseLease: leaseId })),
      ]);
      const voided = answer === "lease_not_found";
      expect((await now()).last_outcome).toBe(voided ? null : "success");
      expect(await log(leaseId)).toEqual(voided ? null : expect.objectContaining({ outcome: "success" }));
      const [key] = await db.sql`
        select k.unusable_reason is not null as flagged,
          k.usage_count = (select count(*) from api_key_usage_log l where l.user_api_key_id = k.id) as counted
        from user_api_keys k where k.id = ${keyId}`;
      expect(key).toEqual({ flagged: voided, counted: true });
    });
  });

  test("a void that comes first leaves nothing of the report", async () => {
    const { userId, take, ask, now } = await oneKey();
    const leaseId = await take();
    const answer = await during(
      db.sql,
      (tx) => tx`select public.lease_api_key(user_id => ${userId}, release_lease_id => ${leaseId})`,
      () => ask({ leaseId }),
    );
    expect(answer).toBe("lease_not_found");
    expect(await now()).toMatchObject({ last_outcome: null, last_effect: null });
  });
});

describe("another lease of the key", () => {
  test("successes of two leases at once: both count", async () => {
    const { take, sendReport, log } = await oneKey();
    await rounds(ROUNDS, async (pause) => {
      const leases = [await take(), await take()] as const;
      const answers = await Promise.all([
        pause(0).then(() => sendReport({ leaseId: leases[0] })),
        pause(1).then(() => sendReport({ leaseId: leases[1] })),
      ]);
      expect(answers.map(shown)).toEqual(["none", "none"]);
      for (const id of leases) expect(await log(id)).toMatchObject({ outcome: "success", effect: "none" });
    });
  });

  test("a success and a 429 at once: the block and n stay, and the success tells the state that it stands in", async () => {
    await rounds(ROUNDS, async (pause) => {
      const { take, sendReport, now } = await oneKey();
      const [good, bad] = [await take(), await take()];
      const [success, failure] = await Promise.all([
        pause(0).then(() => sendReport({ leaseId: good })),
        pause(1).then(() => sendReport({ leaseId: bad, code: 429 })),
      ]);
      expect(failure).toMatchObject({ effect: "cooled", consecutive_failures: 1, state: "cooling_down" });
      const isStale = success.effect === "stale";
      expect(success).toMatchObject(
        isStale ? { effect: "stale", state: "cooling_down" } : { effect: "none", state: "available" },
      );
      const { state, consecutive_failures, last_effect } = await now();
      expect([state, consecutive_failures]).toEqual(["cooling_down", 1]);
      // `last_effect` is that of the report with the latest time. If the success read the row before the block was committed, either of the
      // two may have the later time.
      expect(isStale ? ["stale"] : ["cooled", "none"]).toContain(last_effect);
    });
  });

  test("a success that is called when a 429 has been answered is stale", async () => {
    for (let i = 0; i < ROUNDS; i += 1) {
      const { take, sendReport } = await oneKey();
      const [good, bad] = [await take(), await take()];
      await sendReport({ leaseId: bad, code: 429 });
      expect(await sendReport({ leaseId: good })).toMatchObject({
        effect: "stale",
        state: "cooling_down",
        consecutive_failures: 1,
      });
    }
  });

  test("a success does not wait for a 429 that is not committed: it stands before it", async () => {
    const { userId, take, sendReport, log, now } = await oneKey();
    const [good, late, bad] = [await take(), await take(), await take()];
    await db.sql.begin(async (tx) => {
      await report(tx as never, userId, { leaseId: bad, code: 429 });
      expect(await sendReport({ leaseId: good })).toMatchObject({ effect: "none", state: "available" });
    });
    expect(await log(good)).toMatchObject({ effect: "none", state_after: "available" });
    expect(await now()).toMatchObject({
      state: "cooling_down",
      consecutive_failures: 1,
      last_outcome: "rate_limited",
    });
    expect(await sendReport({ leaseId: late })).toMatchObject({ effect: "stale", state: "cooling_down" });
  });

  test("a success forgets the server errors before it, also one that it waited for", async () => {
    const { userId, take, sendReport, now } = await oneKey();
    const leases = [await take(), await take(), await take(), await take()] as const;
    await sendReport({ leaseId: leases[0], code: 500 });
    const answer = await during(
      db.sql,
      (tx) => report(tx as never, userId, { leaseId: leases[1], code: 500 }),
      () => sendReport({ leaseId: leases[2] }),
    );
    expect(answer).toMatchObject({ effect: "none" });
    expect(await sendReport({ leaseId: leases[3], code: 500 })).toMatchObject({ effect: "ignored" });
    expect(await now()).toMatchObject({ state: "available" });
  });

  test("a stale success forgets no server errors", async () => {
    const { keyId, take, sendReport } = await oneKey();
    const old = await take();
    await db.sql`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${keyId}`;
    const leases = [await take(), await take(), await take()] as const;
    await sendReport({ leaseId: leases[0], code: 500 });
    await sendReport({ leaseId: leases[1], code: 500 });
    expect(await sendReport({ leaseId: old })).toMatchObject({ effect: "stale" });
    expect(await sendReport({ leaseId: leases[2], code: 500 })).toMatchObject({ effect: "cooled" });
  });

  test("many successes on one key let a 429 through", async () => {
    // In one of three rounds, fewer than 500 successes must pass. A 429 that is late by chance fails one round; a 429 that waits for
    // successes fails every round.
    let passed = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3 && passed >= 500; round += 1) passed = await passedBy429();
    expect(passed).toBeLessThan(500);
  });

  /** Returns the number of successes that are answered between the call and the answer of a 429. */
  async function passedBy429(): Promise<number> {
    const { userId, take, sendReport, now } = await oneKey();
    const late = await Promise.all(Array.from({ length: 24 }, take));
    const bad = await take();
    const effects: string[] = [];
    let cooled = false;
    const caller = async () => {
      // The successes go on until the 429 is answered.
      while (!cooled) {
        const next = await tryLease(service, userId);
        if (next.kind === "leased") effects.push((await sendReport({ leaseId: next.lease_id })).effect);
      }
      effects.push((await sendReport({ leaseId: late.pop() })).effect);
    };
    const callers = Promise.all(Array.from({ length: 24 }, caller));
    let passed: number;
    try {
      await until(() => effects.length >= 40);
      const before = effects.length;
      // The 429 uses a connection of another pool, because the callers use all connections of theirs.
      expect(await report(db.sql, userId, { leaseId: bad, code: 429 })).toMatchObject({ effect: "cooled" });
      passed = effects.length - before;
    } finally {
      cooled = true;
    }
    await callers;
    expect(new Set(effects)).toEqual(new Set(["none", "stale"]));
    expect(await now()).toMatchObject({ state: "cooling_down", consecutive_failures: 1 });
    return passed;
  }
});
