import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, envelope, makeUser, type Reported, report } from "../../support/keys.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { makeOneKey, rounds } from "../../support/one-key.ts";
import { during, someoneWaits } from "../../support/waits.ts";

/* Tests reports and an operator's edits of the same key, in both orders. */

const ROUNDS = LONG_TESTS ? 40 : 8;

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 4);
});
afterAll(() => db.drop());

const oneKey = () => makeOneKey(db.sql, service);

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
    const { keyId, take, sendReport, log, now } = await oneKey();
    await db.sql`update api_key_health set consecutive_failures = 3 where user_api_key_id = ${keyId}`;
    const leaseId = await take();
    const answer = await during(
      db.sql,
      (tx) => edit(tx, keyId),
      () => sendReport({ leaseId }),
    );
    expect(answer).toMatchObject({ effect: "stale", state: "available", consecutive_failures: 0 });
    expect(await log(leaseId)).toMatchObject({ effect: "stale" });
    expect(await now()).toMatchObject({ last_effect: "stale", generation: 2 });
  });

  test.each(edits)(
    "%s the key: a 429 of its outage stands before the commit, and is stale after it",
    async (_, edit) => {
      const { keyId, take, sendReport, now } = await oneKey();
      const [first, before, after] = [await take(), await take(), await take()];
      await sendReport({ leaseId: first, code: 429 });
      await db.sql.begin(async (tx) => {
        await edit(tx, keyId);
        expect(await sendReport({ leaseId: before, code: 429 })).toMatchObject({
          effect: "ignored",
          state: "cooling_down",
        });
      });
      expect(await now()).toMatchObject({ state: "available", consecutive_failures: 0, generation: 2 });
      const late = await sendReport({ leaseId: after, code: 429 });
      expect(late).toMatchObject({ effect: "stale", state: "available", consecutive_failures: 0 });
      expect(await now()).toMatchObject({ state: "available", consecutive_failures: 0 });
    },
  );

  test.each(edits)(
    "%s the key while a 429 that would lengthen the block waits: stale, no block",
    async (_, edit) => {
      const { keyId, take, sendReport, now } = await oneKey();
      const [first, late] = [await take(), await take()];
      await sendReport({ leaseId: first, code: 429 });
      const answer = await during(
        db.sql,
        (tx) => edit(tx, keyId),
        () => sendReport({ leaseId: late, code: 429, retryAfter: 600 }),
      );
      expect(answer).toMatchObject({ effect: "stale", state: "available", consecutive_failures: 0 });
      expect(await now()).toMatchObject({ state: "available", consecutive_failures: 0, generation: 2 });
    },
  );

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

  test("moves the end of the outage before a lease: its 429 is of the outage until the commit, and escalates after it", async () => {
    const { keyId, take, sendReport } = await oneKey();
    const [first, late, later] = [await take(), await take(), await take()];
    await sendReport({ leaseId: first, code: 429 });
    await db.sql.begin(async (tx) => {
      await tx`
        update api_key_health set blocked_until = (select issued_at from api_key_usage_log where id = ${late})
        where user_api_key_id = ${keyId}`;
      const answer = await sendReport({ leaseId: late, code: 429 });
      expect(answer).toMatchObject({ effect: "ignored", consecutive_failures: 1 });
    });
    const answer = await sendReport({ leaseId: later, code: 429 });
    expect(answer).toMatchObject({ effect: "cooled", consecutive_failures: 2 });
  });

  test.each(edits)(
    "%s the key and a success at once: recovered before it, stale after it",
    async (name, edit) => {
      await rounds(ROUNDS, async (pause) => {
        const { keyId, take, sendReport, now } = await oneKey();
        await db.sql`update api_key_health set consecutive_failures = 3 where user_api_key_id = ${keyId}`;
        const leaseId = await take();
        const [answer] = await Promise.all([
          pause(0).then(() => sendReport({ leaseId })),
          pause(1).then(() => edit(db.sql, keyId)),
        ]);
        // If the success came first, the reset changes nothing, so the generation stays.
        const raised = answer.effect === "stale" || name !== "resets";
        expect(["recovered", "stale"]).toContain(answer.effect);
        expect(await now()).toMatchObject({ consecutive_failures: 0, generation: raised ? 2 : 1 });
      });
    },
  );

  test("disables the key: a success stands before the commit, and after it the answer and the log say so", async () => {
    const { keyId, take, sendReport, log, now } = await oneKey();
    const [before, after] = [await take(), await take()];
    await db.sql.begin(async (tx) => {
      await tx`update user_api_keys set is_active = false where id = ${keyId}`;
      expect(await sendReport({ leaseId: before })).toMatchObject({ effect: "none", state: "available" });
    });
    expect(await sendReport({ leaseId: after })).toMatchObject({ effect: "none", state: "disabled" });
    expect(await log(before)).toMatchObject({ state_before: "available", state_after: "available" });
    expect(await log(after)).toMatchObject({ state_before: "disabled", state_after: "disabled" });
    expect(await now()).toMatchObject({ reason: "disabled_by_operator", is_active: false });
  });

  test("a success on a disabled key with failures resets nothing", async () => {
    const { keyId, take, sendReport, now } = await oneKey();
    const leaseId = await take();
    await db.sql`update api_key_health set consecutive_failures = 2 where user_api_key_id = ${keyId}`;
    await db.sql`update user_api_keys set is_active = false where id = ${keyId}`;
    expect(await sendReport({ leaseId })).toMatchObject({ effect: "stale", consecutive_failures: 2 });
    expect(await now()).toMatchObject({ consecutive_failures: 2, last_effect: "stale" });
  });

  test("deletes the key: a success stands before the commit, a failure waits and finds no lease, and so does a later report", async () => {
    const { keyId, take, ask } = await oneKey();
    const [before, meanwhile, after] = [await take(), await take(), await take()];
    const answer = await during(
      db.sql,
      async (tx) => {
        await tx`delete from user_api_keys where id = ${keyId}`;
        expect(await ask({ leaseId: before })).toMatchObject({ effect: "none" });
      },
      () => ask({ leaseId: meanwhile, code: 429 }),
    );
    expect(answer).toBe("lease_not_found");
    expect(await ask({ leaseId: after })).toBe("lease_not_found");
  });

  test("gives away the key: a success stands before the commit, and is not found after it", async () => {
    const { keyId, take, ask } = await oneKey();
    const [before, after] = [await take(), await take()];
    const other = await makeUser(db.sql);
    await db.sql.begin(async (tx) => {
      await tx`update user_api_keys set user_id = ${other} where id = ${keyId}`;
      expect(await ask({ leaseId: before })).toMatchObject({ effect: "none" });
    });
    expect(await ask({ leaseId: after })).toBe("lease_not_found");
    const [row] = await db.sql`select last_outcome from api_key_health where user_api_key_id = ${keyId}`;
    expect(row?.last_outcome).toBeNull();
  });

  test("a key that was given away keeps its leases with who had it", async () => {
    const { keyId, take } = await oneKey();
    const leaseId = await take();
    const other = await makeUser(db.sql);
    await db.sql`update user_api_keys set user_id = ${other} where id = ${keyId}`;
    await expect(report(service, other, { leaseId })).rejects.toMatchObject({ message: "lease_not_found" });
  });

  test("nobody reports on a lease of another pool", async () => {
    const { take, log } = await oneKey();
    const leaseId = await take();
    const other = await makeUser(db.sql);
    await expect(report(service, other, { leaseId })).rejects.toMatchObject({ message: "lease_not_found" });
    expect(await log(leaseId)).toMatchObject({ outcome: null });
  });

  test("a success with a key that is not the lease's is refused", async () => {
    const { userId, take, ask } = await oneKey();
    const other = await addKey(db.sql, userId, { priority: -1 });
    expect(await ask({ leaseId: await take(), keyId: other })).toBe("lease_key_mismatch");
  });

  test("edits of a key and reports that block it, at once and again: nobody is a deadlock's victim", async () => {
    const { keyId, take, sendReport } = await oneKey();
    // Two operators may deadlock and get the error; a report never does.
    const operate = (edit: Promise<unknown>) =>
      edit.catch((error) => {
        if (error.code !== "40P01") throw error;
      });
    for (let i = 0; i < ROUNDS; i += 1) {
      const leases = await Promise.all([take(), take(), take()]);
      await Promise.all([
        ...leases.map((leaseId, at) =>
          sendReport({ leaseId, ...(at > 0 && { code: 429, retryAfter: i + 1 }) }),
        ),
        operate(db.sql`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${keyId}`),
        operate(db.sql`update api_key_health set blocked_until = null where user_api_key_id = ${keyId}`),
      ]);
      await db.sql`update api_key_health set blocked_until = null where user_api_key_id = ${keyId}`;
    }
  });

  test("holds the key row: a report that would block the key keeps nobody from its health row", async () => {
    const { keyId, take, sendReport, now } = await oneKey();
    const leaseId = await take();
    let answer: Promise<Reported> | undefined;
    await db.sql.begin(async (tx) => {
      await tx`update user_api_keys set priority = 3 where id = ${keyId}`;
      answer = sendReport({ leaseId, code: 429 });
      await someoneWaits(db.sql);
      await tx`set local lock_timeout = '200ms'`;
      await tx`update user_api_keys set is_active = false where id = ${keyId}`;
    });
    expect(await answer).toMatchObject({ effect: "ignored", state: "disabled" });
    expect(await now()).toMatchObject({ reason: "disabled_by_operator" });
  });
});
