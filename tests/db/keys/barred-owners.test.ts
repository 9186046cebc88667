import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { addKey, makeUser, pair } from "../../support/keys.ts";

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

const refused = { code: "PT401", message: "invalid_credential" };

/** Makes a pool with one key, and returns the two ways to lease it. */
async function pool() {
  const user = await makeUser(db.sql);
  await addKey(db.sql, user);
  const [agent] = await db.sql<{ hash: string }[]>`
    select encode(sha256(convert_to(issue_agent_token(${user}, 'agent'), 'UTF8')), 'hex') as hash`;
  const service = db.as("service_role", 2);
  type Answer = { lease: { kind: string; lease_id: string } }[];
  const kids = [pair.kid];
  const lease = {
    token: () =>
      service<Answer>`select lease_api_key(token_hash => ${agent?.hash ?? ""}, live_kids => ${kids}) as lease`,
    session: () => service<Answer>`select lease_api_key(user_id => ${user}, live_kids => ${kids}) as lease`,
  };
  return { user, service, ...lease };
}

describe("an owner whose account auth has", () => {
  const bars = {
    "banned from signing in": (id: string) =>
      db.auth`update users set banned_until = now() + interval '1 hour' where id = ${id}`,
    "soft-deleted": (id: string) => db.auth`update users set deleted_at = now() where id = ${id}`,
  };
  test.each(Object.entries(bars))("%s leases and reports nothing from the next call on", async (_, bar) => {
    const { user, service, token, session } = await pool();
    const [row] = await token();
    expect(row?.lease.kind).toBe("leased");
    await bar(user);
    await expect(token()).rejects.toMatchObject(refused);
    await expect(session()).rejects.toMatchObject(refused);
    await expect(
      service`select report_successes(${[row?.lease.lease_id ?? ""]}, user_id => ${user})`,
    ).rejects.toMatchObject(refused);
  });

  test("a ban that is over does not count", async () => {
    const { user, token, session } = await pool();
    await db.auth`update users set banned_until = now() - interval '1 second' where id = ${user}`;
    for (const ask of [token, session]) expect((await ask())[0]?.lease.kind).toBe("leased");
  });

  test("deleted for good is refused, too", async () => {
    const { user, token, session } = await pool();
    await db.auth`delete from users where id = ${user}`;
    await expect(token()).rejects.toMatchObject(refused);
    await expect(session()).rejects.toMatchObject(refused);
  });
});
