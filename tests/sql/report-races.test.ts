import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../support/database.ts";
import {
  addKey,
  envelope,
  health,
  lease,
  makeUser,
  type Report,
  type Reported,
  report,
  tryLease,
} from "../support/keys.ts";
import { until } from "../support/until.ts";
import { during, someoneWaits } from "../support/waits.ts";

/* Reports that leave the key alone hold no lock of it: what may come between, in both orders. */

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role");
});
afterAll(() => db.drop());

async function oneKey() {
  const userId = await makeUser(db.sql);
  const keyId = await addKey(db.sql, userId);
  return {
    userId,
    keyId,
    take: async () => (await lease(service, userId)).lease_id,
    tell: (what: Report) => report(service, userId, what),
    /** The answer, or the refusal's message. */
    ask: (what: Report) => report(service, userId, what).catch((error: Error) => error.message),
    now: () => health(db.sql, keyId),
    log: async (leaseId: string) =>
      (await db.sql`select * from api_key_usage_log where id = ${leaseId}`)[0] ?? null,
  };
}

/** Both at once, each a little later than the other in turns, so many times. */
async function rounds(count: number, round: (pause: (mine: 0 | 1) => Promise<void>) => Promise<void>) {
  for (let i = 0; i < count; i += 1) {
    const late = i % 2;
    await round(async (mine) => {
      if (mine === late) await sleep(Math.random() * 4);
    });
  }
}

function shown(answer: Reported | string): string {
  return typeof answer === "string" ? answer : answer.effect;
}

describe("the same lease", () => {
  test("the same success at once: one effect, one answer, and what was last heard is of that one", async () => {
    const { take, tell, log, now } = await oneKey();
    for (let i = 0; i < 40; i += 1) {
      const leaseId = await take();
      const answers = await Promise.all([1, 2, 3, 4].map(() => tell({ leaseId })));
      expect(answers.map(shown).sort()).toEqual(["duplicate", "duplicate", "duplicate", "none"]);
      expect(await log(leaseId)).toMatchObject({ effect: "none", state_after: "available" });
    }
    expect(await now()).toMatchObject({ last_effect: "none", generation: 1 });
  });

  test("a duplicate leaves no trace, also beside a report of another lease", async () => {
    const { take, tell, now } = await oneKey();
    const [first, second] = [await take(), await take()];
    await tell({ leaseId: first });
    await tell({ leaseId: second, code: 404 });
    expect(await tell({ leaseId: first })).toMatchObject({ effect: "duplicate", outcome: "success" });
    expect(await now()).toMatchObject({ last_outcome: "caller_fault", last_effect: "ignored" });
  });

  test("two outcomes at once: one is taken, the other refused", async () => {
    await rounds(30, async (pause) => {
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
      expect(await now()).toMatchObject({
        last_outcome: kept,
        consecutive_failures: kept === "success" ? 0 : 1,
      });
    });
  });

  test("a success and a void at once: reported and kept, or unknown and given back", async () => {
    await rounds(30, async (pause) => {
      const { userId, keyId, take, ask, log, now } = await oneKey();
      const leaseId = await take();
      const [answer] = await Promise.all([
        pause(0).then(() => ask({ leaseId })),
        pause(1).then(() => tryLease(service, userId, { voidLease: leaseId })),
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
      (tx) => tx`select public.lease_api_key(user_id => ${userId}, void_lease_id => ${leaseId})`,
      () => ask({ leaseId }),
    );
    expect(answer).toBe("lease_not_found");
    expect(await now()).toMatchObject({ last_outcome: null, last_effect: null });
  });
});

describe("another lease of the key", () => {
  test("successes of two leases at once: both count", async () => {
    const { take, tell, log } = await oneKey();
    await rounds(40, async (pause) => {
      const leases = [await take(), await take()] as const;
      const answers = await Promise.all([
        pause(0).then(() => tell({ leaseId: leases[0] })),
        pause(1).then(() => tell({ leaseId: leases[1] })),
      ]);
      expect(answers.map(shown)).toEqual(["none", "none"]);
      for (const id of leases) expect(await log(id)).toMatchObject({ outcome: "success", effect: "none" });
    });
  });

  test("a success and a 429 at once: the block and n stay, and the success says which came first", async () => {
    await rounds(40, async (pause) => {
      const { take, tell, now } = await oneKey();
      const [good, bad] = [await take(), await take()];
      const [success, failure] = await Promise.all([
        pause(0).then(() => tell({ leaseId: good })),
        pause(1).then(() => tell({ leaseId: bad, code: 429 })),
      ]);
      expect(failure).toMatchObject({ effect: "cooled", consecutive_failures: 1, state: "cooling_down" });
      const [order] = await db.sql`
        select g.reported_at > b.reported_at as later from api_key_usage_log g, api_key_usage_log b
        where g.id = ${good} and b.id = ${bad}`;
      const later = order?.later;
      expect(success).toMatchObject(
        later ? { effect: "stale", state: "cooling_down" } : { effect: "none", state: "available" },
      );
      expect(await now()).toMatchObject({
        state: "cooling_down",
        consecutive_failures: 1,
        last_effect: later ? "stale" : "cooled",
      });
    });
  });

  test("a success that waited for a 429 is stale", async () => {
    const { userId, take, tell, now } = await oneKey();
    const [good, bad] = [await take(), await take()];
    const answer = await during(
      db.sql,
      (tx) => report(tx as never, userId, { leaseId: bad, code: 429 }),
      () => tell({ leaseId: good }),
    );
    expect(answer).toMatchObject({ effect: "stale", state: "cooling_down", consecutive_failures: 1 });
    expect(await now()).toMatchObject({
      state: "cooling_down",
      consecutive_failures: 1,
      last_effect: "stale",
    });
  });

  test("a success forgets the server errors before it, also one that it waited for", async () => {
    const { userId, take, tell, now } = await oneKey();
    const leases = [await take(), await take(), await take(), await take()] as const;
    await tell({ leaseId: leases[0], code: 500 });
    const answer = await during(
      db.sql,
      (tx) => report(tx as never, userId, { leaseId: leases[1], code: 500 }),
      () => tell({ leaseId: leases[2] }),
    );
    expect(answer).toMatchObject({ effect: "none" });
    expect(await tell({ leaseId: leases[3], code: 500 })).toMatchObject({ effect: "ignored" });
    expect(await now()).toMatchObject({ state: "available" });
  });

  test("a stale success forgets no server errors", async () => {
    const { keyId, take, tell } = await oneKey();
    const old = await take();
    await db.sql`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${keyId}`;
    const leases = [await take(), await take(), await take()] as const;
    await tell({ leaseId: leases[0], code: 500 });
    await tell({ leaseId: leases[1], code: 500 });
    expect(await tell({ leaseId: old })).toMatchObject({ effect: "stale" });
    expect(await tell({ leaseId: leases[2], code: 500 })).toMatchObject({ effect: "cooled" });
  });

  test("many successes on one key let a 429 through", async () => {
    // One that is held up on its way lets many pass; held back by them, it would be so each time.
    let passed = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3 && passed >= 500; round += 1) passed = await passedBy429();
    expect(passed).toBeLessThan(500);
  });

  /** So many successes are answered between the call and the answer of a 429. */
  async function passedBy429(): Promise<number> {
    const { userId, take, tell, now } = await oneKey();
    const late = await Promise.all(Array.from({ length: 24 }, take));
    const bad = await take();
    const effects: string[] = [];
    let cooled = false;
    const caller = async () => {
      // They do not end before the 429 is through.
      while (!cooled) {
        const next = await tryLease(service, userId);
        if (next.leased) effects.push((await tell({ leaseId: next.lease_id })).effect);
      }
      effects.push((await tell({ leaseId: late.pop() })).effect);
    };
    const callers = Promise.all(Array.from({ length: 24 }, caller));
    let passed: number;
    try {
      await until(() => effects.length >= 40);
      const before = effects.length;
      // Over a connection of its own: the callers' are all taken.
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

describe("an operator", () => {
  const edits: [name: string, edit: (sql: postgres.ISql, keyId: string) => Promise<unknown>][] = [
    [
      "replaces",
      (sql, id) => sql`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${id}`,
    ],
    [
      "resets",
      (sql, id) =>
        sql`update api_key_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ${id}`,
    ],
    ["empties the health of", (sql, id) => sql`delete from api_key_health where user_api_key_id = ${id}`],
  ];

  test.each(edits)("%s the key while a success waits: stale", async (_, edit) => {
    const { keyId, take, tell, log, now } = await oneKey();
    await db.sql`update api_key_health set consecutive_failures = 3 where user_api_key_id = ${keyId}`;
    const leaseId = await take();
    const answer = await during(
      db.sql,
      (tx) => edit(tx, keyId),
      () => tell({ leaseId }),
    );
    expect(answer).toMatchObject({ effect: "stale", state: "available", consecutive_failures: 0 });
    expect(await log(leaseId)).toMatchObject({ effect: "stale" });
    expect(await now()).toMatchObject({ last_effect: "stale", generation: 2 });
  });

  test.each(edits)("%s the key while a 429 of its outage waits: stale, no block", async (_, edit) => {
    const { keyId, take, tell, now } = await oneKey();
    const [first, late] = [await take(), await take()];
    await tell({ leaseId: first, code: 429 });
    const answer = await during(
      db.sql,
      (tx) => edit(tx, keyId),
      () => tell({ leaseId: late, code: 429 }),
    );
    expect(answer).toMatchObject({ effect: "stale", state: "available", consecutive_failures: 0 });
    expect(await now()).toMatchObject({ state: "available", consecutive_failures: 0, generation: 2 });
  });

  test("deletes the lease while a report that names it and its key waits: not found, and nothing changes", async () => {
    const { keyId, take, ask, now } = await oneKey();
    const leaseId = await take();
    const answer = await during(
      db.sql,
      async (tx) => {
        await tx`select pg_advisory_xact_lock(uuid_hash_extended(${keyId}, 0))`;
        await tx`delete from api_key_usage_log where id = ${leaseId}`;
      },
      () => ask({ leaseId, keyId, code: 429 }),
    );
    expect(answer).toBe("lease_not_found");
    expect(await now()).toMatchObject({ state: "available", consecutive_failures: 0 });
    expect(await db.sql`select from api_key_usage_log where user_api_key_id = ${keyId}`).toHaveLength(0);
  });

  test("moves the end of the outage before a lease whose 429 waits: it escalates", async () => {
    const { keyId, take, tell } = await oneKey();
    const [first, late] = [await take(), await take()];
    await tell({ leaseId: first, code: 429 });
    const answer = await during(
      db.sql,
      async (tx) => {
        // It has looked at the outage, and waits for its turn.
        await tx`select pg_advisory_xact_lock(uuid_hash_extended(${keyId}, 0))`;
        await tx`
          update api_key_health set blocked_until = (select issued_at from api_key_usage_log where id = ${late})
          where user_api_key_id = ${keyId}`;
      },
      () => tell({ leaseId: late, code: 429 }),
    );
    expect(answer).toMatchObject({ effect: "cooled", consecutive_failures: 2 });
  });

  test.each(edits)(
    "%s the key and a success at once: recovered before it, stale after it",
    async (name, edit) => {
      await rounds(20, async (pause) => {
        const { keyId, take, tell, now } = await oneKey();
        await db.sql`update api_key_health set consecutive_failures = 3 where user_api_key_id = ${keyId}`;
        const leaseId = await take();
        const [answer] = await Promise.all([
          pause(0).then(() => tell({ leaseId })),
          pause(1).then(() => edit(db.sql, keyId)),
        ]);
        // After a success there is nothing left to reset.
        const raised = answer.effect === "stale" || name !== "resets";
        expect(["recovered", "stale"]).toContain(answer.effect);
        expect(await now()).toMatchObject({ consecutive_failures: 0, generation: raised ? 2 : 1 });
      });
    },
  );

  test("disables the key while a success waits: the answer and the log say so", async () => {
    const { keyId, take, tell, log, now } = await oneKey();
    const leaseId = await take();
    const answer = await during(
      db.sql,
      (tx) => tx`update user_api_keys set is_active = false where id = ${keyId}`,
      () => tell({ leaseId }),
    );
    expect(answer).toMatchObject({ effect: "none", state: "disabled" });
    expect(await log(leaseId)).toMatchObject({ state_before: "disabled", state_after: "disabled" });
    expect(await now()).toMatchObject({ reason: "disabled_by_operator", is_active: false });
  });

  test("a success on a disabled key with failures resets nothing", async () => {
    const { keyId, take, tell, now } = await oneKey();
    const leaseId = await take();
    await db.sql`update api_key_health set consecutive_failures = 2 where user_api_key_id = ${keyId}`;
    await db.sql`update user_api_keys set is_active = false where id = ${keyId}`;
    expect(await tell({ leaseId })).toMatchObject({ effect: "stale", consecutive_failures: 2 });
    expect(await now()).toMatchObject({ consecutive_failures: 2, last_effect: "stale" });
  });

  test.each([
    ["deletes", (sql, id) => sql`delete from user_api_keys where id = ${id}`],
    [
      "gives away",
      async (sql, id) => sql`update user_api_keys set user_id = ${await makeUser(db.sql)} where id = ${id}`,
    ],
  ] satisfies typeof edits)(
    "%s the key while a success waits: not found, and nothing stays",
    async (_, edit) => {
      const { keyId, take, ask } = await oneKey();
      const leaseId = await take();
      const answer = await during(
        db.sql,
        (tx) => edit(tx, keyId),
        () => ask({ leaseId }),
      );
      expect(answer).toBe("lease_not_found");
      const rows = await db.sql`select last_outcome from api_key_health where user_api_key_id = ${keyId}`;
      for (const row of rows) expect(row.last_outcome).toBeNull();
    },
  );

  test("a key that was given away keeps its leases with who had it", async () => {
    const { keyId, take } = await oneKey();
    const leaseId = await take();
    const other = await makeUser(db.sql);
    await db.sql`update user_api_keys set user_id = ${other} where id = ${keyId}`;
    await expect(report(service, other, { leaseId })).rejects.toMatchObject({ message: "lease_not_found" });
  });

  test("a success with a key that is not the lease's is refused", async () => {
    const { userId, take, ask } = await oneKey();
    const other = await addKey(db.sql, userId, { priority: -1 });
    expect(await ask({ leaseId: await take(), keyId: other })).toBe("lease_key_mismatch");
  });

  test("edits of a key and reports that block it, at once and again: nobody is a deadlock's victim", async () => {
    const { keyId, take, tell } = await oneKey();
    // Two operators who lock each other out are told so; who reports is not.
    const operate = (edit: Promise<unknown>) =>
      edit.catch((error) => {
        if (error.code !== "40P01") throw error;
      });
    for (let i = 0; i < 40; i += 1) {
      const leases = await Promise.all([take(), take(), take()]);
      await Promise.all([
        ...leases.map((leaseId, at) => tell({ leaseId, ...(at > 0 && { code: 429, retryAfter: i + 1 }) })),
        operate(db.sql`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${keyId}`),
        operate(db.sql`update api_key_health set blocked_until = null where user_api_key_id = ${keyId}`),
      ]);
      await db.sql`update api_key_health set blocked_until = null where user_api_key_id = ${keyId}`;
    }
  });

  test("holds the key row: a report that would block the key keeps nobody from its health row", async () => {
    const { keyId, take, tell, now } = await oneKey();
    const leaseId = await take();
    let answer: Promise<Reported> | undefined;
    await db.sql.begin(async (tx) => {
      await tx`update user_api_keys set priority = 3 where id = ${keyId}`;
      answer = tell({ leaseId, code: 429 });
      await someoneWaits(db.sql);
      await tx`set local lock_timeout = '200ms'`;
      await tx`update user_api_keys set is_active = false where id = ${keyId}`;
    });
    expect(await answer).toMatchObject({ effect: "ignored", state: "disabled" });
    expect(await now()).toMatchObject({ reason: "disabled_by_operator" });
  });
});
