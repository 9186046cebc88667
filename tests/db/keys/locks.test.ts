import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, lease, makeUser, type Reported, report } from "../../support/keys.ts";
import { during } from "../../support/waits.ts";

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 1);
});
afterAll(() => db.drop());

const rows = {
  key: { table: "user_api_keys", column: "id" },
  health: { table: "api_key_health", column: "user_api_key_id" },
};

/** Locks the row of a key in one of the two tables, or fails when somebody has locked it. */
const take = (sql: postgres.ISql, { table, column }: { table: string; column: string }, keyId: string) =>
  sql`select from ${sql(table)} where ${sql(column)} = ${keyId} for update nowait`;

// While a report waits for one row, it must not keep the other row locked: the operator's next statement may need that row, which would be
// a deadlock.
describe.each([
  ["health", "key"],
  ["key", "health"],
] as const)(
  "a report that waits for an operator who holds the %s row leaves the %s row free",
  (held, other) => {
    test.each([
      ["a failure", (leaseId: string) => ({ leaseId, code: 429 }), "cooled"],
      // A report without a lease inserts a log row, whose foreign key locks the row of the key.
      ["a success without a lease", (_: string, keyId: string) => ({ keyId }), "none"],
    ])("%s", async (_, what, effect) => {
      const userId = await makeUser(db.sql);
      const keyId = await addKey(db.sql, userId);
      const { lease_id } = await lease(service, userId);
      if (effect === "none") await report(service, userId, { leaseId: lease_id });
      let done = false;
      let free = 0;
      let reported: Promise<Reported> | undefined;
      await db.sql.begin(async (operator) => {
        await take(operator, rows[held], keyId);
        reported = report(service, userId, what(lease_id, keyId)).finally(() => {
          done = true;
        });
        for (let tries = 0; tries < 40; tries += 1) {
          free += await take(db.sql, rows[other], keyId).then(
            () => 1,
            ({ code }) => {
              expect(code).toBe("55P03");
              return 0;
            },
          );
          await sleep(10);
        }
        expect(done).toBe(false);
      });
      // If the row is locked only during an attempt, it is free almost every time; if it is locked during waits, almost never.
      expect(free).toBeGreaterThan(20);
      expect(await reported).toMatchObject({ effect });
    });
  },
);

test.each(["api_key_health", "api_key_model_health"])(
  "an operator empties %s: a report that waits for it leaves the key free",
  async (table) => {
    const userId = await makeUser(db.sql);
    const keyId = await addKey(db.sql, userId);
    const { lease_id } = await lease(service, userId);
    await report(service, userId, { leaseId: lease_id });
    // In its first call a connection compiles the functions, and that would also wait for the locked table. So the first call is made here.
    await report(service, userId, { keyId });
    const reported = await during(
      db.sql,
      // A TRUNCATE first takes this lock, and then locks the rows of the keys.
      (operator) => operator`lock table ${operator(table)} in access exclusive mode`,
      () => report(service, userId, { keyId }),
      async (operator) => {
        await take(operator, rows.key, keyId);
        await operator`truncate ${operator(table)}`;
      },
    );
    expect(reported).toMatchObject({ effect: "none" });
  },
);

test("an operator holds the health row: a success that has failures to forget is taken when they are done", async () => {
  const userId = await makeUser(db.sql);
  const keyId = await addKey(db.sql, userId);
  const { lease_id } = await lease(service, userId);
  await db.sql`update api_key_health set consecutive_failures = 2 where user_api_key_id = ${keyId}`;
  let reported: Promise<Reported> | undefined;
  await db.sql.begin(async (operator) => {
    await take(operator, rows.health, keyId);
    reported = report(service, userId, { leaseId: lease_id });
    // Keep the lock for longer than a report waits for any lock.
    await sleep(1000);
  });
  expect(await reported).toMatchObject({ effect: "recovered" });
});

test("a report on somebody else's key waits for nobody, and holds nothing up", async () => {
  const [owner, stranger] = [await makeUser(db.sql), await makeUser(db.sql)];
  const keyId = await addKey(db.sql, owner);
  await db.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(uuid_hash_extended(${keyId}, 0))`;
    await take(tx, rows.health, keyId);
    await expect(report(service, stranger, { keyId, code: 429 })).rejects.toMatchObject({
      message: "key_not_found",
    });
  });
});
