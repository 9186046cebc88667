import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, makeUser, passTime, report } from "../../support/keys.ts";
import { makeOneKey } from "../../support/one-key.ts";
import { until } from "../../support/until.ts";
import { during } from "../../support/waits.ts";

/* Tests that a report that changes nothing locks only its row of the log, and waits for no other lock. */

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 8);
});
afterAll(() => db.drop());

const oneKey = () => makeOneKey(db.sql, service);
type OneKey = Awaited<ReturnType<typeof makeOneKey>>;

const queueOf = (tx: postgres.ISql, keyId: string) =>
  tx`select pg_advisory_xact_lock(uuid_hash_extended(${keyId}, 0))`;
const holdHealth = (tx: postgres.ISql, keyId: string) =>
  tx`select from api_key_health where user_api_key_id = ${keyId} for update`;
const holdLog = (tx: postgres.ISql, leaseId: string) =>
  tx`select from api_key_usage_log where id = ${leaseId} for update`;

const lastReportOf = async (keyId: string) =>
  (
    await db.sql`select last_reported_at, last_outcome, last_error_code from api_key_health where user_api_key_id = ${keyId}`
  )[0];

/** Waits until `count` calls wait for a lock. */
const waiting = (count: number) =>
  until(async () => {
    const rows = await db.sql`
      select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query ~ 'report_api_key' and query !~ 'pg_stat_activity'`;
    return rows.length >= count;
  });

describe("an operator who holds key, health row and queue keeps no report that changes nothing", () => {
  const SUCCESS = { what: {}, told: { effect: "none", state: "available" } };
  test.each([
    { of: "a new key", before: async () => {}, ...SUCCESS },
    {
      of: "a key of which another class was reported",
      before: async ({ take, sendReport }: OneKey) => {
        await sendReport({ leaseId: await take(), code: 404 });
      },
      ...SUCCESS,
    },
    {
      of: "a key that has recovered",
      before: async ({ keyId, take, sendReport }: OneKey) => {
        await sendReport({ leaseId: await take(), code: 429 });
        await db.sql`update api_key_health set blocked_until = now() - interval '1 s', last_failure_at = now() - interval '1 h'
          where user_api_key_id = ${keyId}`;
        await sendReport({ leaseId: await take() });
      },
      ...SUCCESS,
    },
    {
      of: "a known outage",
      before: async ({ take, sendReport }: OneKey) => {
        await sendReport({ leaseId: await take(), code: 429 });
      },
      what: { code: 429 },
      told: { effect: "ignored", state: "cooling_down", consecutive_failures: 1 },
    },
  ])("$of", async ({ before, what, told }) => {
    const key = await oneKey();
    const leaseId = await key.take();
    await before(key);
    await db.sql.begin(async (tx) => {
      await queueOf(tx, key.keyId);
      await tx`select from user_api_keys where id = ${key.keyId} for update`;
      await holdHealth(tx, key.keyId);
      expect(await key.sendReport({ leaseId, ...what })).toMatchObject(told);
    });
    expect(await key.log(leaseId)).toMatchObject({ effect: told.effect, state_after: told.state });
  });
});

describe("what the health row tells of the newest report", () => {
  test("the same outcome once a second, another one at once", async () => {
    const { keyId, take, sendReport } = await oneKey();
    const leases = [await take(), await take(), await take(), await take()] as const;
    await sendReport({ leaseId: leases[0] });
    const first = await lastReportOf(keyId);
    expect(first).toMatchObject({ last_outcome: "success" });
    await sendReport({ leaseId: leases[1] });
    expect(await lastReportOf(keyId)).toEqual(first);
    await db.sql`update api_key_health set last_outcome = 'caller_fault', last_error_code = '404' where user_api_key_id = ${keyId}`;
    await sendReport({ leaseId: leases[2] });
    expect(await lastReportOf(keyId)).toMatchObject({ last_outcome: "success", last_error_code: null });
    await passTime(db.sql, keyId, 2);
    const earlier = await lastReportOf(keyId);
    await sendReport({ leaseId: leases[3] });
    const later = await lastReportOf(keyId);
    expect(later?.last_reported_at - earlier?.last_reported_at).toBeGreaterThan(1_000);
  });

  test("what is newer stays", async () => {
    const { keyId, take, sendReport } = await oneKey();
    await db.sql`
      update api_key_health set last_reported_at = now() + interval '1 h', last_outcome = 'caller_fault'
      where user_api_key_id = ${keyId}`;
    expect(await sendReport({ leaseId: await take() })).toMatchObject({ effect: "none" });
    expect(await lastReportOf(keyId)).toMatchObject({ last_outcome: "caller_fault" });
  });

  test("nothing while somebody holds the row", async () => {
    const { keyId, take, sendReport } = await oneKey();
    const leaseId = await take();
    await db.sql.begin(async (tx) => {
      await holdHealth(tx, keyId);
      expect(await sendReport({ leaseId })).toMatchObject({ effect: "none" });
    });
    expect(await lastReportOf(keyId)).toMatchObject({ last_outcome: null });
  });
});

describe("duplicates", () => {
  test.each([
    ["", {}],
    [" with a model", { model: "pro" }],
  ])(
    "at the same moment%s: whoever is late is told at the log row, and does not go on to the key's queue",
    async (_, what) => {
      const { keyId, take, sendReport, log } = await oneKey();
      const leaseId = await take();
      let answers: ReturnType<typeof sendReport>[] = [];
      await db.sql.begin(async (tx) => {
        await queueOf(tx, keyId);
        await db.sql.begin(async (other) => {
          await holdLog(other, leaseId);
          answers = [1, 2, 3].map(() => sendReport({ leaseId, ...what }));
          await waiting(3);
        });
        const told = await Promise.all(answers);
        expect(told.map(({ effect }) => effect).sort()).toEqual(["duplicate", "duplicate", "none"]);
      });
      expect(await log(leaseId)).toMatchObject({ effect: "none" });
    },
  );

  test("later: told at the first asking", async () => {
    const { userId, keyId, take, sendReport } = await oneKey();
    const leaseId = await take();
    await sendReport({ leaseId });
    await db.sql.begin(async (tx) => {
      await queueOf(tx, keyId);
      const again = await service`
        select public.report_api_key(user_id => ${userId}, lease_id => ${leaseId}, report => '{"outcome": "success", "rule": "success"}')
          ->> 'effect' as effect`;
      expect(again).toEqual([{ effect: "duplicate" }]);
    });
  });
});

test("a report by key alone whose lease is reported meanwhile looks for another one, and is nobody's duplicate", async () => {
  const { userId, keyId, take, sendReport, ask, log } = await oneKey();
  const [first, leaseId] = [await take(), await take()];
  // The health row records a success now, so the success below does not write to that row.
  await sendReport({ leaseId: first });
  const answer = await during(
    db.sql,
    (tx) => tx`
      select public.report_api_key(user_id => ${userId}, lease_id => ${leaseId}, report => '{"outcome": "success", "rule": "success"}')`,
    () => ask({ keyId, code: 404 }),
  );
  expect(answer).toMatchObject({ effect: "ignored", outcome: "caller_fault" });
  expect(await log(leaseId)).toMatchObject({ outcome: "success" });
  const own = await db.sql`
    select outcome from api_key_usage_log where user_api_key_id = ${keyId} and issued_at is null`;
  expect(own).toEqual([{ outcome: "caller_fault" }]);
});

test("a report in full evaluation retries while an operator has the health row locked, instead of waiting for the lock timeout", async () => {
  const { userId, keyId, take, sendReport } = await oneKey();
  const leaseId = await take();
  const patient = db.as("service_role");
  await db.sql.begin(async (tx) => {
    await holdHealth(tx, keyId);
    let waits = true;
    // This waiter gives up after 1.5 s. It shows that three reports do not wait for their lock timeouts, which together are longer.
    const waiter = patient
      .begin(async (other) => {
        await other`set local lock_timeout = '1500ms'`;
        await holdHealth(other, keyId);
      })
      .catch(() => {})
      .then(() => {
        waits = false;
      });
    await sleep(50);
    for (let times = 0; times < 3; times += 1) {
      await expect(
        service`select public.report_api_key(user_id => ${userId}, lease_id => ${leaseId}, report => '{"outcome": "caller_fault", "rule": "ignore"}')`,
      ).rejects.toMatchObject({ code: "55P03" });
    }
    expect(waits).toBe(true);
    await waiter;
  });
  expect(await sendReport({ leaseId, code: 404 })).toMatchObject({ effect: "ignored", state: "available" });
});

test("somebody else's lease is not found, and stays open", async () => {
  const { take, log } = await oneKey();
  const leaseId = await take();
  const stranger = await makeUser(db.sql);
  await expect(report(service, stranger, { leaseId })).rejects.toMatchObject({ message: "lease_not_found" });
  expect(await log(leaseId)).toMatchObject({ outcome: null });
});

test("a lease with a key that is not its own is refused without waiting in the key's queue", async () => {
  const { userId, keyId, take, ask } = await oneKey();
  const leaseId = await take();
  const other = await addKey(db.sql, userId);
  await db.sql.begin(async (tx) => {
    await queueOf(tx, keyId);
    expect(await ask({ leaseId, keyId: other })).toBe("lease_key_mismatch");
  });
});
