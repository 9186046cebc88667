import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  addKey,
  callWithRetries,
  envelope,
  health,
  type LeasedKey,
  lease,
  leaseMany,
  makeUser,
  type NoKey,
  passTime,
  report,
  reportMany,
} from "../../support/keys.ts";

/* Tests that one call stores successes that are reported at the same time, in one transaction. model.test.ts tests their effects. */

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 8);
});
afterAll(() => db.drop());

async function makePool(keys: number) {
  const userId = await makeUser(db.sql);
  const keyIds: string[] = [];
  for (let i = 0; i < keys; i += 1) keyIds.push(await addKey(db.sql, userId));
  return { userId, keyIds: keyIds.sort() };
}

async function take(userId: string, calls: number, sql: postgres.ISql = service): Promise<LeasedKey[]> {
  const answers: (LeasedKey | NoKey)[] = [await leaseMany(sql, userId, calls)].flat();
  return answers.map((answer) => {
    if (answer.kind !== "leased") throw new Error(`no key: ${JSON.stringify(answer)}`);
    return answer;
  });
}

/** Leases each key once. Returns the ids of the leases in the order of `keyIds`. */
async function leaseEach(userId: string, keyIds: string[]): Promise<string[]> {
  const leases = await take(userId, keyIds.length);
  return keyIds.map((id) => leases.find(({ key_id }) => key_id === id)?.lease_id ?? "");
}

const queueOf = (sql: postgres.ISql, keyId: string | undefined) =>
  sql`select pg_try_advisory_xact_lock(uuid_hash_extended(${keyId ?? null}::uuid, 0)) as ours`;
const hold = (tx: postgres.ISql, ids: string[]) =>
  tx`select from user_api_keys where id = any(${ids}) for no key update`;
const open = async (leaseIds: string[]) =>
  (
    await db.sql<
      { id: string }[]
    >`select id from api_key_usage_log where id = any(${leaseIds}) and outcome is null`
  ).length;

const AGAIN = { kind: "retry" };

describe("successes", () => {
  test("several of one key and of others; the key's row is not locked", async () => {
    const { userId, keyIds } = await makePool(3);
    const leases = await take(userId, 7);
    await db.sql.begin(async (tx) => {
      await tx`select from user_api_keys where id = any(${keyIds}) for update`;
      const answers = await reportMany(
        service,
        userId,
        leases.map(({ lease_id }) => lease_id),
      );
      for (const [i, answer] of answers.entries())
        expect(answer).toEqual({
          key_id: leases[i]?.key_id,
          state: "available",
          blocked_until: null,
          consecutive_failures: 0,
          outcome: "success",
          effect: "none",
          scope: null,
          model: null,
        });
    });
  });

  test("the row that is written is the one that a report alone writes", async () => {
    const { userId, keyIds } = await makePool(1);
    const [one, other] = (await take(userId, 2)).map(({ lease_id }) => lease_id);
    await report(service, userId, { leaseId: one });
    const alone = await health(db.sql, keyIds[0] ?? "");
    // The health row stores the same outcome at most once a second, so let two seconds pass.
    await passTime(db.sql, keyIds[0] ?? "", 2);
    await reportMany(service, userId, [other ?? ""]);
    expect(await health(db.sql, keyIds[0] ?? "")).toEqual(alone);
    const rows = await db.sql<postgres.Row[]>`
      select l.*, h.last_reported_at from api_key_usage_log l join api_key_health h using (user_api_key_id)
      where l.id = any(${[one ?? "", other ?? ""]}) order by reported_at`;
    const plain = rows.map(({ id, issued_at, reported_at, last_reported_at, ...rest }) => rest);
    expect(plain[1]).toEqual(plain[0]);
    expect(rows[1]?.reported_at).toEqual(rows[1]?.last_reported_at);
  });

  test("a report on an unknown or foreign lease, or a second one, gets `retry`; the others are done", async () => {
    const [mine, theirs] = [await makePool(2), await makePool(1)];
    const leaseIds = await leaseEach(mine.userId, mine.keyIds);
    const [foreign] = await leaseEach(theirs.userId, theirs.keyIds);
    await service.begin(async (tx) => {
      const answers = await reportMany(tx, mine.userId, [
        randomUUID(),
        leaseIds[0] ?? "",
        foreign ?? "",
        leaseIds[1] ?? "",
        leaseIds[0] ?? "",
      ]);
      expect(answers).toMatchObject([AGAIN, { effect: "none" }, AGAIN, { effect: "none" }, AGAIN]);
      // The batch has not locked the queue of the other pool either.
      await db.sql.begin(async (other) => {
        expect((await queueOf(other, theirs.keyIds[0]))[0]?.ours).toBe(true);
      });
    });
    expect(await open([foreign ?? ""])).toBe(1);
    expect(await reportMany(service, mine.userId, leaseIds)).toEqual([AGAIN, AGAIN]);
  });

  test.each([
    [
      "failures to forget",
      (id: string) =>
        db.sql`update api_key_health set consecutive_failures = 1 where user_api_key_id = ${id}`,
    ],
    [
      "a block",
      (id: string) =>
        db.sql`update api_key_health set blocked_until = now() + interval '1 h' where user_api_key_id = ${id}`,
    ],
    [
      "server errors in a row",
      (id: string) =>
        db.sql`update api_key_health set recent_server_errors = array[now()] where user_api_key_id = ${id}`,
    ],
    [
      "a failure after the lease",
      (id: string) => db.sql`update api_key_health set last_failure_at = now() where user_api_key_id = ${id}`,
    ],
    ["been disabled", (id: string) => db.sql`update user_api_keys set is_active = false where id = ${id}`],
    [
      "been found not to open",
      (id: string) => db.sql`update user_api_keys set unusable_reason = 'cannot_unseal' where id = ${id}`,
    ],
    [
      "been replaced",
      (id: string) => db.sql`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${id}`,
    ],
  ])(
    "a report on a key that has %s gets full evaluation, and the batch has stored nothing of it",
    async (_, edit) => {
      const { userId, keyIds } = await makePool(2);
      const leaseIds = await leaseEach(userId, keyIds);
      await edit(keyIds[0] ?? "");
      expect(await reportMany(service, userId, leaseIds)).toMatchObject([AGAIN, { effect: "none" }]);
      expect(await open(leaseIds)).toBe(1);
      expect((await health(db.sql, keyIds[0] ?? "")).last_outcome).toBeNull();
    },
  );

  test.each([
    ["failures to forget", "set consecutive_failures = 1, blocked_until = null"],
    ["a block", "set consecutive_failures = 0"],
    [
      "a failure after the lease",
      "set blocked_until = null, consecutive_failures = 0, last_failure_at = now()",
    ],
  ])("a report on a lease whose model has %s gets full evaluation", async (_, edit) => {
    const { userId, keyIds } = await makePool(1);
    const [keyId = ""] = keyIds;
    const leaseIds: string[] = [];
    for (const model of ["pro", "flash"]) leaseIds.push((await lease(service, userId, { model })).lease_id);
    await db.sql`
      insert into api_key_model_health (user_api_key_id, model, blocked_until)
      values (${keyId}, 'pro', now() + interval '1 h')`;
    // Write the row as a report does, with `last_reported_at`. An edit of the block alone would be an operator's reset.
    await db.sql.unsafe(
      `update api_key_model_health ${edit}, last_reported_at = clock_timestamp() where user_api_key_id = $1`,
      [keyId],
    );
    expect(await reportMany(service, userId, leaseIds)).toMatchObject([AGAIN, { effect: "none" }]);
    expect(await open(leaseIds)).toBe(1);
  });

  test.each([
    [
      "an edit",
      async (userId: string, keyId: string) => {
        await db.sql`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${keyId}`;
        // A batch answers `retry` for an edited key until a full evaluation has read the new row. This report causes a full evaluation.
        await report(service, userId, { leaseId: (await take(userId, 2))[0]?.lease_id });
      },
    ],
    [
      "a failure",
      (_: string, keyId: string) =>
        db.sql`update api_key_health set last_failure_at = clock_timestamp() where user_api_key_id = ${keyId}`,
    ],
  ])(
    "a lease from before %s gets full evaluation; later leases of its key in the batch do not",
    async (_, happens) => {
      const { userId, keyIds } = await makePool(1);
      const [old, older] = (await take(userId, 2)).map(({ lease_id }) => lease_id);
      await happens(userId, keyIds[0] ?? "");
      const [young, younger] = (await take(userId, 2)).map(({ lease_id }) => lease_id);
      expect(await reportMany(service, userId, [older ?? ""])).toEqual([AGAIN]);
      expect(await reportMany(service, userId, [young ?? "", old ?? ""])).toMatchObject([
        { effect: "none" },
        AGAIN,
      ]);
      expect(await reportMany(service, userId, [younger ?? ""])).toMatchObject([{ effect: "none" }]);
    },
  );

  test("a batch waits for no lock; only the report whose lease is locked gets `retry`", async () => {
    const { userId, keyIds } = await makePool(4);
    const leaseIds = await leaseEach(userId, keyIds);
    await db.sql.begin(async (tx) => {
      await queueOf(tx, keyIds[0]);
      await tx`select from api_key_health where user_api_key_id = ${keyIds[1] ?? ""} for no key update`;
      await tx`select from api_key_usage_log where id = ${leaseIds[2] ?? ""} for no key update`;
      await hold(tx, keyIds);
      expect(await reportMany(service, userId, leaseIds)).toMatchObject([
        { effect: "none" },
        { effect: "none" },
        AGAIN,
        { effect: "none" },
      ]);
    });
    expect(await open(leaseIds)).toBe(1);
    // A locked health row gets no outcome, nor does the row of the key whose report got `retry`.
    const heard = await db.sql`
      select last_outcome from api_key_health where user_api_key_id = any(${keyIds}) order by user_api_key_id`;
    expect(heard.map(({ last_outcome }) => last_outcome)).toEqual(["success", null, null, "success"]);
  });

  test("what the health row tells of a newer report stays", async () => {
    const { userId, keyIds } = await makePool(1);
    const leaseIds = await leaseEach(userId, keyIds);
    await db.sql`
      update api_key_health set last_reported_at = now() + interval '1 h', last_outcome = 'caller_fault'
      where user_api_key_id = ${keyIds[0] ?? ""}`;
    expect(await reportMany(service, userId, leaseIds)).toMatchObject([{ effect: "none" }]);
    expect(await health(db.sql, keyIds[0] ?? "")).toMatchObject({ last_outcome: "caller_fault" });
  });

  test("somebody who empties tables is not kept in a circle: the reports give way", async () => {
    const { userId, keyIds } = await makePool(2);
    const leaseIds = await leaseEach(userId, keyIds);
    await db.sql.begin(async (tx) => {
      await tx`lock table api_key_health in access exclusive mode`;
      const answer = service.begin(async (caller) => {
        await caller`set local statement_timeout = '5s'`;
        return reportMany(caller, userId, leaseIds);
      });
      await expect(answer).rejects.toMatchObject({ code: "55P03" });
      await tx`lock table api_key_usage_log in access exclusive mode`;
    });
    expect(await open(leaseIds)).toBe(2);
    expect(await reportMany(service, userId, [])).toEqual([]);
  });

  test("a revoked or unknown token is refused", async () => {
    const call = service`select public.report_successes(token_hash => ${"0".repeat(64)}, lease_ids => ${[randomUUID()]}::uuid[])`;
    await expect(call).rejects.toMatchObject({ code: "PT401", message: "invalid_credential" });
  });

  test("beside leases, failures and an operator's edits every answer is in the log, and nobody is undone for long", async () => {
    const { userId, keyIds } = await makePool(4);
    // The number of agents that are not done. The operator's edits go on until it is 0.
    let working = 12;
    const answered = new Map<string, string>();
    const agents = Array.from({ length: working }, async () => {
      for (let round = 0; round < 10; round += 1) {
        const leases = await callWithRetries(() =>
          leaseMany(service, userId, 2 + Math.floor(Math.random() * 6)),
        );
        if (!Array.isArray(leases)) continue;
        const leaseIds = leases.map(({ lease_id }) => lease_id).sort(() => Math.random() - 0.5);
        if (Math.random() < 0.1) {
          const [leaseId = ""] = leaseIds.splice(0, 1);
          answered.set(
            leaseId,
            (await report(service, userId, { leaseId, code: 429, retryAfter: 1 })).effect,
          );
        }
        const answers = await callWithRetries(() => reportMany(service, userId, leaseIds));
        for (const [i, answer] of answers.entries())
          if (!("kind" in answer)) answered.set(leaseIds[i] ?? "", answer.effect);
      }
      working -= 1;
    });
    const operator = (async () => {
      while (working > 0) {
        const keyId = keyIds[Math.floor(Math.random() * keyIds.length)] ?? "";
        await db.sql`update api_key_health set blocked_until = null, consecutive_failures = 0 where user_api_key_id = ${keyId}`;
        await db.sql`update user_api_keys set is_active = false where id = ${keyId}`;
        await db.sql`update user_api_keys set is_active = true where id = ${keyId}`;
        await sleep(5);
      }
    })();
    await Promise.all([...agents, operator]);
    const rows = await db.sql<{ id: string; effect: string }[]>`
      select id, effect from api_key_usage_log where user_id = ${userId} and outcome is not null`;
    expect(new Map(rows.map(({ id, effect }) => [id, effect]))).toEqual(answered);
    expect(answered.size).toBeGreaterThan(10);
  });
});
