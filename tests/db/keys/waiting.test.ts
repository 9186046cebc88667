import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  addKey,
  askOnce,
  envelope,
  lease,
  makeUser,
  type NoKey,
  passPoolTime,
  report,
  secondsLeft,
  tryLease,
} from "../../support/keys.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { during, someoneWaits } from "../../support/waits.ts";

/* Tests what happens to a key, and to other keys, while a call waits for it. */

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 8);
});
afterAll(() => db.drop());

const hold = (keyId: string) => (tx: postgres.ISql) =>
  tx`select from user_api_keys where id = ${keyId} for update`;
const holdHealth = (keyId: string) => (tx: postgres.ISql) =>
  tx`select from api_key_health where user_api_key_id = ${keyId} for update`;

const block = (keyId: string) => db.sql`
  update api_key_health set blocked_until = clock_timestamp() + interval '30 s' where user_api_key_id = ${keyId}`;

async function blockAndPass(userId: string, keyId: string): Promise<void> {
  await block(keyId);
  await passPoolTime(db.sql, userId, 31);
}

describe("a key that is waited for", () => {
  test("the only key's row locked by another transaction: the caller waits and is served", async () => {
    const userId = await makeUser(db.sql);
    const keyId = await addKey(db.sql, userId);
    let waiting: Promise<unknown> | undefined;
    await db.sql.begin(async (tx) => {
      await tx`select from user_api_keys where id = ${keyId} for update`;
      waiting = tryLease(service, userId);
      await someoneWaits(db.sql);
    });
    expect(await waiting).toMatchObject({ kind: "leased", key_id: keyId });
  });

  test("it is blocked meanwhile: none, with the time until it is ready", async () => {
    const userId = await makeUser(db.sql);
    const keyId = await addKey(db.sql, userId);
    let waiting: Promise<unknown> | undefined;
    await db.sql.begin(async (tx) => {
      await tx`update api_key_health set blocked_until = clock_timestamp() + interval '40 s' where user_api_key_id = ${keyId}`;
      waiting = tryLease(service, userId);
      await someoneWaits(db.sql);
    });
    const { retry_after, ...rest } = (await waiting) as NoKey;
    expect(rest).toEqual({
      kind: "none",
      cooling_down: 1,
      limited: 0,
      disabled: 0,
      other_providers: null,
    });
    expect(retry_after).toBeLessThanOrEqual(40);
    expect(retry_after).toBeGreaterThanOrEqual(await secondsLeft(db.sql, keyId));
  });

  test.each([
    ["another provider's", { provider: "other" }],
    ["sealed to a pair that nobody has", { api_key_encrypted: envelope("retired") }],
  ])("it becomes %s meanwhile: none", async (_, edit) => {
    const userId = await makeUser(db.sql);
    const keyId = await addKey(db.sql, userId, { provider: "mine" });
    let waiting: ReturnType<typeof tryLease> | undefined;
    await db.sql.begin(async (tx) => {
      await tx`update user_api_keys set ${tx(edit)} where id = ${keyId}`;
      waiting = tryLease(service, userId, { provider: "mine" });
      await someoneWaits(db.sql);
    });
    expect(await waiting).toMatchObject({ kind: "none" });
  });

  test("a locked key of the best tier is waited for: a lower tier is not served instead", async () => {
    const userId = await makeUser(db.sql);
    const top = await addKey(db.sql, userId, { priority: 2 });
    await addKey(db.sql, userId, { priority: 1 });
    let waiting: ReturnType<typeof tryLease> | undefined;
    await db.sql.begin(async (tx) => {
      await tx`select from user_api_keys where id = ${top} for update`;
      waiting = tryLease(service, userId);
      await someoneWaits(db.sql);
    });
    expect(await waiting).toMatchObject({ kind: "leased", key_id: top });
  });

  test("while it waited, a better key came free: that one is taken", async () => {
    const userId = await makeUser(db.sql);
    const best = await addKey(db.sql, userId, { priority: 3, active: false });
    const locked = await addKey(db.sql, userId, { priority: 2 });
    let waiting: ReturnType<typeof tryLease> | undefined;
    await db.sql.begin(async (tx) => {
      await tx`select from user_api_keys where id = ${locked} for update`;
      waiting = tryLease(service, userId);
      await someoneWaits(db.sql);
      await db.sql`update user_api_keys set is_active = true where id = ${best}`;
    });
    expect(await waiting).toMatchObject({ kind: "leased", key_id: best });
  });

  test("a report blocks the key while a caller waits for its turn: none", async () => {
    const userId = await makeUser(db.sql);
    await addKey(db.sql, userId);
    const leased = await lease(service, userId);
    let waiting: ReturnType<typeof tryLease> | undefined;
    await db.sql.begin(async (tx) => {
      await report(tx as never, userId, { leaseId: leased.lease_id, code: 429 });
      waiting = tryLease(service, userId);
      await someoneWaits(db.sql);
    });
    expect(await waiting).toMatchObject({ kind: "none", cooling_down: 1 });
  });

  test("a better key came free while a caller waited for its turn: that one is taken", async () => {
    const userId = await makeUser(db.sql);
    const best = await addKey(db.sql, userId, { priority: 3, active: false });
    const second = await addKey(db.sql, userId, { priority: 2, active: false });
    const held = await addKey(db.sql, userId, { priority: 1 });
    // The highest tier loses its last key here; below, the second tier gets its key back.
    await db.sql`delete from user_api_keys where id = ${best}`;
    let waiting: ReturnType<typeof tryLease> | undefined;
    await db.sql.begin(async (tx) => {
      expect(await tryLease(tx as never, userId)).toMatchObject({ key_id: held });
      waiting = tryLease(service, userId);
      await someoneWaits(db.sql);
      await db.sql`update user_api_keys set is_active = true where id = ${second}`;
    });
    expect(await waiting).toMatchObject({ kind: "leased", key_id: second });
  });

  test("is given away: who waited gets none", async () => {
    const [userId, other] = [await makeUser(db.sql), await makeUser(db.sql)];
    const keyId = await addKey(db.sql, userId);
    const answer = await during(
      db.sql,
      (tx) =>
        tx`update user_api_keys set user_id = ${other}, api_key_encrypted = ${envelope()} where id = ${keyId}`,
      () => tryLease(service, userId),
    );
    expect(answer).toMatchObject({ kind: "none" });
    expect(await db.sql`select from api_key_usage_log where user_api_key_id = ${keyId}`).toHaveLength(0);
  });

  test("falls to a lower tier: the one between is served", async () => {
    const userId = await makeUser(db.sql);
    const top = await addKey(db.sql, userId, { priority: 5 });
    const middle = await addKey(db.sql, userId, { priority: 3 });
    const answer = await during(
      db.sql,
      (tx) => tx`update user_api_keys set priority = 1 where id = ${top}`,
      () => tryLease(service, userId),
    );
    expect(answer).toMatchObject({ kind: "leased", key_id: middle });
  });

  test("is outdone by a new tier: that one is served", async () => {
    const userId = await makeUser(db.sql);
    const keyId = await addKey(db.sql, userId, { priority: 5 });
    let better = "";
    const answer = await during(
      db.sql,
      hold(keyId),
      () => tryLease(service, userId),
      async () => {
        better = await addKey(db.sql, userId, { priority: 9 });
      },
    );
    expect(answer).toMatchObject({ kind: "leased", key_id: better });
  });

  test("is the only one whose block is over: its tier is left alone", async () => {
    const userId = await makeUser(db.sql);
    const keyId = await addKey(db.sql, userId);
    await blockAndPass(userId, keyId);
    let added = "";
    const answer = await during(
      db.sql,
      hold(keyId),
      () => tryLease(service, userId),
      async () => {
        // An operator adds a key to the tier: no lock delays it.
        await db.sql.begin(async (operator) => {
          await operator`set local lock_timeout = '2s'`;
          added = await addKey(operator as never, userId);
        });
      },
    );
    expect(answer).toMatchObject({ kind: "leased" });
    expect([keyId, added]).toContain("key_id" in answer ? answer.key_id : "");
  });
});

test("a call that has made a key of another provider ready does not wait while it has that row locked", async () => {
  const userId = await makeUser(db.sql);
  const expired = await addKey(db.sql, userId, { priority: 2, provider: "other" });
  const held = await addKey(db.sql, userId, { priority: 1, provider: "mine" });
  await block(expired);
  await block(held);
  await passPoolTime(db.sql, userId, 31);
  let free = 0;
  const answer = await during(
    db.sql,
    hold(held),
    () => tryLease(service, userId, { provider: "mine" }),
    async () => {
      for (let tries = 0; tries < 20; tries += 1, await sleep(10)) {
        free += await db.sql`select from user_api_keys where id = ${expired} for update nowait`.then(
          () => 1,
          () => 0,
        );
      }
    },
  );
  expect(free).toBeGreaterThan(10);
  expect(answer).toMatchObject({ kind: "leased", key_id: held });
});

describe("while an operator holds the health row", () => {
  test("a report in full evaluation waits, and the key is leased, also when its block has expired", async () => {
    const userId = await makeUser(db.sql);
    const keyId = await addKey(db.sql, userId);
    const { lease_id } = await lease(service, userId);
    await blockAndPass(userId, keyId);
    let taken: unknown;
    const reported = await during(
      db.sql,
      holdHealth(keyId),
      () => report(service, userId, { leaseId: lease_id, code: 404 }),
      async () => {
        taken = await tryLease(service, userId);
      },
    );
    expect(taken).toMatchObject({ kind: "leased", key_id: keyId });
    expect(reported).toMatchObject({ outcome: "caller_fault" });
  });

  test("a lease is given back, also beside reports that wait for the operator", async () => {
    const userId = await makeUser(db.sql);
    const keyId = await addKey(db.sql, userId);
    const [good, bad] = [await lease(service, userId), await lease(service, userId)];
    const reported = await during(
      db.sql,
      async (tx) => {
        await tx`select pg_advisory_xact_lock(uuid_hash_extended(${keyId}, 0))`;
        await holdHealth(keyId)(tx);
      },
      () => report(service, userId, { leaseId: good.lease_id, code: 404 }),
      async () => {
        const answer = await askOnce(service, userId, { releaseLease: bad.lease_id });
        expect(answer).toMatchObject({ kind: "none", disabled: 1 });
      },
    );
    expect(reported).toMatchObject({ outcome: "caller_fault", state: "disabled" });
    expect(await db.sql`select from api_key_usage_log where id = ${bad.lease_id}`).toHaveLength(0);
  });

  test("a lease whose key is flagged already, or of another generation, is given back all the same", async () => {
    for (const edit of [{ unusable_reason: "by hand" }, { api_key_encrypted: envelope() }]) {
      const userId = await makeUser(db.sql);
      const keyId = await addKey(db.sql, userId);
      const bad = await lease(service, userId);
      await db.sql`update user_api_keys set ${db.sql(edit)} where id = ${keyId}`;
      await db.sql.begin(async (tx) => {
        await holdHealth(keyId)(tx);
        await askOnce(service, userId, { releaseLease: bad.lease_id });
      });
      expect(await db.sql`select from api_key_usage_log where id = ${bad.lease_id}`).toHaveLength(0);
      const [key] = await db.sql`select unusable_reason from user_api_keys where id = ${keyId}`;
      expect(key?.unusable_reason).toBe(edit.unusable_reason ?? null);
    }
  });
});

describe("a report without a lease", () => {
  test("waits for an operator who holds the key row", async () => {
    const userId = await makeUser(db.sql);
    const keyId = await addKey(db.sql, userId);
    const { lease_id: leaseId } = await lease(service, userId);
    await report(service, userId, { leaseId });
    const reported = await during(
      db.sql,
      hold(keyId),
      () => report(service, userId, { keyId }),
      // Keep the lock for longer than a call waits for any lock.
      () => sleep(600),
    );
    expect(reported).toMatchObject({ effect: "none" });
  });

  test("and a deletion of the key at once: both are done", async () => {
    for (let round = 0; round < (LONG_TESTS ? 60 : 12); round += 1) {
      const userId = await makeUser(db.sql);
      const keyId = await addKey(db.sql, userId);
      const { lease_id: leaseId } = await lease(service, userId);
      await report(service, userId, { leaseId });
      const [answer] = await Promise.all([
        sleep(Math.random() * 3).then(() =>
          report(service, userId, { keyId }).catch((error) => error.message),
        ),
        sleep(Math.random() * 3).then(() => db.sql`delete from user_api_keys where id = ${keyId}`),
      ]);
      expect(typeof answer === "string" ? answer : answer.effect).toMatch(
        /^(none|key_not_found|lease_not_found)$/,
      );
    }
  });
});

test("a free key that stands before the place where a caller starts is not left out", async () => {
  const userId = await makeUser(db.sql);
  // A caller whose search starts anywhere between these two ids sees only the last key.
  const [first, last] = ["0", "f"].map((digit) =>
    "00000000-0000-4000-8000-000000000000".replaceAll("0", digit),
  );
  for (const id of [first, last]) {
    await db.sql`
      insert into user_api_keys (id, user_id, key_name, api_key_encrypted)
      values (${id ?? ""}, ${userId}, 'key', ${envelope()})`;
  }
  await db.sql.begin(async (operator) => {
    await hold(last ?? "")(operator);
    // Take the lock that the first caller of the pool takes.
    await operator`select pg_advisory_xact_lock(uuid_hash_extended(${userId}, 1))`;
    expect(await tryLease(service, userId)).toMatchObject({ kind: "leased", key_id: first });
  });
});
