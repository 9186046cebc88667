import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../support/database.ts";
import { addKey, insist, type Lease, lease, leaseMany, makeUser, reportMany } from "../support/keys.ts";
import { during } from "../support/waits.ts";

/* Calls that come at the same time are made by one, in one transaction. What they do is for the model to say. */

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role");
});
afterAll(() => db.drop());

async function makePool(keys: number) {
  const userId = await makeUser(db.sql);
  const keyIds: string[] = [];
  for (let i = 0; i < keys; i += 1) keyIds.push(await addKey(db.sql, userId));
  return { userId, keyIds: keyIds.sort() };
}

/** One lease of each key, in the order of the keys. */
async function leaseEach(userId: string, keyIds: string[]): Promise<string[]> {
  const leases = (await leaseMany(service, userId, keyIds.length)) as Lease[];
  return keyIds.map((id) => leases.find(({ key_id }) => key_id === id)?.lease_id ?? "");
}

const queueOf = (tx: postgres.ISql, keyId: string | undefined) =>
  tx`select pg_advisory_xact_lock(uuid_hash_extended(${keyId ?? null}::uuid, 0))`;

describe("hand-outs", () => {
  test("the least used first, as one call after the other", async () => {
    const { userId, keyIds } = await makePool(3);
    const leases = (await leaseMany(service, userId, 7)) as Lease[];
    expect(leases.map(({ key_id }) => keyIds.indexOf(key_id))).toEqual([0, 1, 2, 0, 1, 2, 0]);
    expect(new Set(leases.map(({ lease_id }) => lease_id)).size).toBe(7);
  });

  test("a key that somebody holds is stepped over; when all are held, they are waited for, and no lower tier is served", async () => {
    const { userId, keyIds } = await makePool(2);
    await addKey(db.sql, userId, { priority: -1 });
    const hold = (tx: postgres.ISql, ids: string[]) =>
      tx`select from user_api_keys where id = any(${ids}) for no key update`;
    await db.sql.begin(async (tx) => {
      await hold(tx, keyIds.slice(0, 1));
      const leases = (await leaseMany(service, userId, 3)) as Lease[];
      expect(leases.map(({ key_id }) => key_id)).toEqual(Array(3).fill(keyIds[1]));
    });
    const answers = await during(
      db.sql,
      (tx) => hold(tx, keyIds),
      () => insist(() => leaseMany(service, userId, 3)),
    );
    for (const answer of answers as Lease[]) expect(keyIds).toContain(answer.key_id);
  });

  test("a pool without a key looks once, and tells each the same", async () => {
    const { userId, keyIds } = await makePool(2);
    await db.sql`update api_key_health set blocked_until = now() + interval '1 h' where user_api_key_id = any(${keyIds})`;
    const answers = await leaseMany(service, userId, 3);
    expect(answers).toEqual(Array(3).fill(answers[0]));
    expect(answers[0]).toMatchObject({ leased: false, cooling_down: 2 });
    const reads = async (calls: number): Promise<number> => {
      const [row] = await service.unsafe(
        `explain (analyze, buffers, format json) select public.lease_api_keys(calls => ${calls}, user_id => '${userId}')`,
      );
      return row?.["QUERY PLAN"][0].Plan["Shared Hit Blocks"];
    };
    await reads(1);
    expect(await reads(50)).toBeLessThan(3 * (await reads(1)));
  });
});

describe("successes", () => {
  test("one that is refused refuses all, and nothing is written", async () => {
    const { userId, keyIds } = await makePool(2);
    const leaseIds = await leaseEach(userId, keyIds);
    await expect(reportMany(service, userId, [...leaseIds, randomUUID()])).rejects.toMatchObject({
      code: "PT404",
      message: "lease_not_found",
    });
    expect(
      await db.sql`select from api_key_usage_log where id = any(${leaseIds}) and outcome is not null`,
    ).toEqual([]);
    expect(await reportMany(service, userId, leaseIds)).toMatchObject([
      { effect: "none" },
      { effect: "none" },
    ]);
  });

  test("the same lease twice is a duplicate", async () => {
    const { userId } = await makePool(1);
    const { lease_id } = await lease(service, userId);
    expect(await reportMany(service, userId, [lease_id, lease_id])).toMatchObject([
      { effect: "none" },
      { effect: "duplicate" },
    ]);
  });

  test("the first waits in its key's queue, those behind it are asked again when theirs is not free", async () => {
    const { userId, keyIds } = await makePool(3);
    const leaseIds = await leaseEach(userId, keyIds);
    await db.sql.begin(async (tx) => {
      await queueOf(tx, keyIds[1]);
      expect(await reportMany(service, userId, leaseIds)).toMatchObject([
        { effect: "none" },
        { ask_again: true },
        { effect: "none" },
      ]);
    });
    const again = await leaseEach(userId, keyIds);
    const answers = await during(
      db.sql,
      (tx) => queueOf(tx, keyIds[0]),
      () => reportMany(service, userId, again),
    );
    expect(answers).toMatchObject([{ effect: "none" }, { effect: "none" }, { effect: "none" }]);
  });

  test("in opposite orders at once: nobody waits in a circle", async () => {
    const { userId, keyIds } = await makePool(6);
    for (let round = 0; round < 40; round += 1) {
      const one = await leaseEach(userId, keyIds);
      const other = (await leaseEach(userId, keyIds)).reverse();
      // An error, such as of a wait that was given up, fails the test.
      const answers = (
        await Promise.all([reportMany(service, userId, one), reportMany(service, userId, other)])
      ).flat();
      for (const answer of answers) if (!("ask_again" in answer)) expect(answer.effect).toBe("none");
    }
  });

  test("beside hand-outs, failures and an operator's edits every answer is in the log, and counts are the log's", async () => {
    const { userId, keyIds } = await makePool(4);
    const end = Date.now() + 2_000;
    const answered = new Map<string, string>();
    const agents = Array.from({ length: 12 }, async () => {
      while (Date.now() < end) {
        const leases = (
          await insist(() => leaseMany(service, userId, 1 + Math.floor(Math.random() * 6)))
        ).filter((answer): answer is Lease => answer.leased);
        const leaseIds = leases.map(({ lease_id }) => lease_id).sort(() => Math.random() - 0.5);
        if (leaseIds.length === 0) continue;
        const answers = await insist(() => reportMany(service, userId, leaseIds));
        for (const [i, answer] of answers.entries())
          if (!("ask_again" in answer)) answered.set(leaseIds[i] ?? "", answer.effect);
      }
    });
    const operator = (async () => {
      while (Date.now() < end) {
        const keyId = keyIds[Math.floor(Math.random() * keyIds.length)] ?? "";
        await insist(async () => {
          await db.sql`update api_key_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ${keyId}`;
          await db.sql`update user_api_keys set is_active = not is_active where id = ${keyId}`;
          await db.sql`update user_api_keys set is_active = true where id = ${keyId}`;
        });
        await sleep(5);
      }
    })();
    await Promise.all([...agents, operator]);
    const rows = await db.sql<{ id: string; effect: string }[]>`
      select id, effect from api_key_usage_log where user_id = ${userId} and outcome is not null`;
    expect(new Map(rows.map(({ id, effect }) => [id, effect]))).toEqual(answered);
    expect(answered.size).toBeGreaterThan(100);
  });
});
