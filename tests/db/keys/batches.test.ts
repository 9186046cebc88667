import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  addKey,
  callWithRetries,
  type LeasedKey,
  lease,
  leaseMany,
  makeUser,
  type NoKey,
} from "../../support/keys.ts";
import { during } from "../../support/waits.ts";

/* Tests that one call makes leases that are requested at the same time, in one transaction. model.test.ts tests their effects. */

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

const hold = (tx: postgres.ISql, ids: string[]) =>
  tx`select from user_api_keys where id = any(${ids}) for no key update`;

describe("leases", () => {
  test("the least used first, as one call after the other", async () => {
    const { userId, keyIds } = await makePool(3);
    await db.sql`update user_api_keys set usage_count = 2 where id = ${keyIds[1] ?? ""}`;
    const leases = await take(userId, 9);
    expect(leases.map(({ key_id }) => keyIds.indexOf(key_id))).toEqual([0, 2, 0, 2, 0, 1, 2, 0, 1]);
    expect(new Set(leases.map(({ lease_id }) => lease_id)).size).toBe(9);
    const rows = await db.sql`
      select k.usage_count::int as counted, count(l.id)::int as logged
      from user_api_keys k join api_key_usage_log l on l.user_api_key_id = k.id where k.user_id = ${userId}
      group by k.id order by k.id`;
    expect(rows.map(({ counted, logged }) => [counted, logged])).toEqual([
      [4, 4],
      [4, 2],
      [3, 3],
    ]);
  });

  test("each answer has what the answer to one call has", async () => {
    const { userId } = await makePool(1);
    const [one, ...others] = [await lease(service, userId), ...(await take(userId, 2))];
    for (const other of others)
      expect(other).toEqual({ ...one, lease_id: other.lease_id, leased_at: other.leased_at });
  });

  test("more keys than calls: only those that are leased are counted", async () => {
    const { userId, keyIds } = await makePool(5);
    expect((await take(userId, 2)).map(({ key_id }) => key_id)).toEqual(keyIds.slice(0, 2));
    expect((await take(userId, 4)).map(({ key_id }) => keyIds.indexOf(key_id))).toEqual([2, 3, 4, 0]);
  });

  test("keys of another provider, pair, tier or state are left out", async () => {
    const userId = await makeUser(db.sql);
    const gemini = await addKey(db.sql, userId, { provider: "gemini" });
    const any = await addKey(db.sql, userId);
    await addKey(db.sql, userId, { provider: "openai" });
    await addKey(db.sql, userId, { kid: "gone" });
    await addKey(db.sql, userId, { active: false });
    await addKey(db.sql, userId, { priority: -1 });
    const cooling = await addKey(db.sql, userId);
    await db.sql`update api_key_health set blocked_until = now() + interval '1 h' where user_api_key_id = ${cooling}`;
    const leases = (await leaseMany(service, userId, 6, { provider: "gemini" })) as LeasedKey[];
    expect(leases.map(({ key_id }) => key_id).sort()).toEqual([gemini, gemini, gemini, any, any, any].sort());
  });

  test("a key that somebody holds is stepped over; when all are held, they are waited for, and no lower tier is served", async () => {
    const { userId, keyIds } = await makePool(2);
    await addKey(db.sql, userId, { priority: -1 });
    await db.sql.begin(async (tx) => {
      await hold(tx, keyIds.slice(0, 1));
      expect((await take(userId, 3)).map(({ key_id }) => key_id)).toEqual(Array(3).fill(keyIds[1]));
    });
    const leases = await during(
      db.sql,
      (tx) => hold(tx, keyIds),
      () => callWithRetries(() => take(userId, 3)),
    );
    for (const { key_id } of leases) expect(keyIds).toContain(key_id);
  });

  test("a pool without a key gives one answer for all", async () => {
    const { userId, keyIds } = await makePool(2);
    await db.sql`update api_key_health set blocked_until = now() + interval '1 h' where user_api_key_id = any(${keyIds})`;
    expect(await leaseMany(service, userId, 3)).toMatchObject({ kind: "none", cooling_down: 2 });
  });

  test("the user's row is not locked, as each key is counted once", async () => {
    const { userId } = await makePool(1);
    await db.sql.begin(async (tx) => {
      await tx`select from auth.users where id = ${userId} for update`;
      expect(await take(userId, 4)).toHaveLength(4);
    });
  });
});
