import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, envelope, health, lease, makeUser, type ReportOptions, report } from "../../support/keys.ts";

/* Tests which edits are refused, and which columns an edit sets by itself. */

let db: Clone;
let service: postgres.Sql;
beforeAll(async () => {
  db = await cloneDatabase();
  service = db.as("service_role", 1);
});
afterAll(() => db.drop());

async function keyWithLeases() {
  const userId = await makeUser(db.sql);
  const keyId = await addKey(db.sql, userId);
  const leases = [
    await lease(service, userId),
    await lease(service, userId),
    await lease(service, userId),
  ].map(({ lease_id }) => lease_id);
  const sendReport = (what: ReportOptions) => report(service, userId, what);
  return { service, userId, keyId, leases, sendReport, now: () => health(db.sql, keyId) };
}

describe("edits that would break an invariant do not", () => {
  test("emptying the health table resets every key, and reports go on", async () => {
    const { keyId, leases, sendReport, now } = await keyWithLeases();
    await sendReport({ leaseId: leases[0], code: 429 });
    await db.sql`truncate api_key_health`;
    expect(await now()).toMatchObject({ state: "available", consecutive_failures: 0, generation: 2 });
    expect(await sendReport({ leaseId: leases[1], code: 403 })).toMatchObject({ effect: "stale" });
    expect(await sendReport({ keyId, code: 403 })).toMatchObject({ effect: "stale" });
    expect(await sendReport({ keyId, code: 403 })).toMatchObject({ effect: "disabled" });
  });

  test("the view says where to edit instead", async () => {
    await expect(
      db.sql`delete from api_key_states`
        .then(() => keyWithLeases())
        .then(() => db.sql`delete from api_key_states`),
    ).rejects.toThrow("edit user_api_keys, api_key_health or api_key_model_health");
  });

  test("numbers out of all range are refused, and what is near the edge still works", async () => {
    const { keyId, leases, sendReport } = await keyWithLeases();
    await expect(
      db.sql`update user_api_keys set usage_count = 9223372036854775807 where id = ${keyId}`,
    ).rejects.toMatchObject({ code: "PT422" });
    await expect(
      db.sql`update api_key_health set consecutive_failures = 2147483647 where user_api_key_id = ${keyId}`,
    ).rejects.toMatchObject({ code: "23514" });
    await db.sql`update user_api_keys set generation = 2147483647 where id = ${keyId}`;
    await db.sql`update api_key_health set consecutive_failures = 1000000000 where user_api_key_id = ${keyId}`;
    expect(await sendReport({ leaseId: leases[0], code: 429 })).toMatchObject({
      effect: "cooled",
      consecutive_failures: 1_000_000_000,
    });
  });

  test("the copy of the block cannot be edited away", async () => {
    const { keyId, leases, sendReport, now } = await keyWithLeases();
    await sendReport({ leaseId: leases[0], code: 429 });
    await db.sql`update user_api_keys set cooling_until = null, generation = 0 where id = ${keyId}`;
    expect(await now()).toMatchObject({ state: "cooling_down", generation: 1 });
  });

  test("a deleted health row comes back clean; the row of another key cannot be taken", async () => {
    const { keyId, leases, sendReport, now, userId } = await keyWithLeases();
    await sendReport({ leaseId: leases[0], code: 429 });
    await db.sql`delete from api_key_health where user_api_key_id = ${keyId}`;
    expect(await now()).toMatchObject({ state: "available", consecutive_failures: 0, generation: 2 });
    const other = await addKey(db.sql, userId);
    await expect(
      db.sql`update api_key_health set user_api_key_id = ${other} where user_api_key_id = ${keyId}`,
    ).rejects.toMatchObject({ code: "PT422" });
  });

  test("deleting a key, or its user, takes health and log along", async () => {
    const { keyId, userId } = await keyWithLeases();
    await db.auth`delete from auth.users where id = ${userId}`;
    const [left] = await db.sql`
      select (select count(*) from user_api_keys where id = ${keyId})
        + (select count(*) from api_key_health where user_api_key_id = ${keyId})
        + (select count(*) from api_key_usage_log where user_api_key_id = ${keyId}) as n`;
    expect(left?.n).toBe("0");
  });

  test.each(["Open AI", "open/ai", "-openai", "ü", "a".repeat(64)])(
    "a provider's name that is not valid (%s) is refused with the letters that are allowed",
    async (provider) => {
      const { keyId } = await keyWithLeases();
      await expect(
        db.sql`update user_api_keys set provider = ${provider} where id = ${keyId}`,
      ).rejects.toMatchObject({ code: "PT422", message: expect.stringContaining("letters a to z, digits") });
      await db.sql`update user_api_keys set provider = ' OpenAI ' where id = ${keyId}`;
      expect(await db.sql`select provider from user_api_keys where id = ${keyId}`).toEqual([
        { provider: "openai" },
      ]);
    },
  );

  test.each([
    "sk-proj-abcdefghijklmnop",
    "",
    "hpke.v1.kid.short.text",
    `hpke.v2.${"a".repeat(80)}`,
    `${envelope()}\n`,
    " ",
  ])("text that is not sealed (%j) is refused, by insert and by update, and not repeated", async (text) => {
    const { keyId, userId } = await keyWithLeases();
    for (const statement of [
      db.sql`insert into user_api_keys (user_id, key_name, api_key_encrypted, priority) values (${userId}, 'x', ${text}, 1)`,
      db.sql`update user_api_keys set api_key_encrypted = ${text} where id = ${keyId}`,
    ]) {
      const error = await statement.then(
        () => null,
        (caught) => caught,
      );
      expect(error).toMatchObject({
        code: "PT422",
        message: expect.stringContaining("npm run seal -- --user"),
      });
      if (text.trim().length > 3)
        expect(JSON.stringify([error.message, error.detail, error.hint, error.where])).not.toContain(
          text.trim(),
        );
    }
  });
});

describe("a key that joins a tier starts beside its peers", () => {
  test("inserted without a count, moved to another priority, or re-enabled", async () => {
    const userId = await makeUser(db.sql);
    const count = async (id: string) =>
      Number((await db.sql`select usage_count from user_api_keys where id = ${id}`)[0]?.usage_count);
    const first = await addKey(db.sql, userId, { usageCount: 100_000 });
    await addKey(db.sql, userId, { usageCount: 100_020 });
    await addKey(db.sql, userId, { usageCount: 5, active: false });
    await addKey(db.sql, userId, { usageCount: 7, priority: 3 });
    const joined = await addKey(db.sql, userId);
    expect(await count(joined)).toBe(100_000);
    expect(await count(await addKey(db.sql, userId, { usageCount: 12 }))).toBe(12);
    await db.sql`delete from user_api_keys where user_id = ${userId} and usage_count = 12`;

    await db.sql`update user_api_keys set priority = 3 where id = ${joined}`;
    expect(await count(joined)).toBe(7);
    await db.sql`update user_api_keys set priority = 0, is_active = false where id = ${joined}`;
    expect(await count(joined)).toBe(7);
    await db.sql`update user_api_keys set is_active = true where id = ${joined}`;
    expect(await count(joined)).toBe(100_000);
    await db.sql`update user_api_keys set is_active = false where id = ${first}`;
    await db.sql`update user_api_keys set is_active = true, usage_count = 42 where id = ${first}`;
    expect(await count(first)).toBe(42);
  });

  test("repaired after it could not be opened", async () => {
    const userId = await makeUser(db.sql);
    await addKey(db.sql, userId, { usageCount: 100_000 });
    const broken = await addKey(db.sql, userId, { usageCount: 3 });
    const leased = await lease(service, userId);
    expect(leased.key_id).toBe(broken);
    await lease(service, userId, { releaseLease: leased.lease_id });
    await db.sql`update user_api_keys set api_key_encrypted = ${envelope()} where id = ${broken}`;
    const [row] = await db.sql`select usage_count::int as n from user_api_keys where id = ${broken}`;
    expect(row?.n).toBe(100_001);
  });

  test("a new key among keys at 100,000 gets its share and no more", async () => {
    const userId = await makeUser(db.sql);
    for (let i = 0; i < 3; i += 1) await addKey(db.sql, userId, { usageCount: 100_000 });
    const fresh = await addKey(db.sql, userId);
    let share = 0;
    for (let i = 0; i < 200; i += 1) share += Number((await lease(service, userId)).key_id === fresh);
    expect(share).toBe(50);
  });
});
