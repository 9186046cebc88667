import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anon, anonymousSession, attempt, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { makeAdmin, makeAsset, makeUser, makeUsers, star, untilWaiting } from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

let db: Clone;
/** Users who want one name. */
const WISHES = LONG_TESTS ? 20 : 6;
let crowd: { sql: Clone["sql"] };
beforeAll(async () => {
  db = await cloneDatabase();
  crowd = { sql: db.as("postgres" as never, 2 * WISHES) };
});
afterAll(() => db.drop());

const rename = (user: string, username: string, who = signedIn(db, user)) =>
  attempt(
    who,
    (tx) => tx`update hub_profiles set username = ${username} where user_id = ${user} returning username`,
  );
const profile = async (user: string) => (await db.sql`select * from hub_profiles where user_id = ${user}`)[0];

describe("a new user", () => {
  test("has a profile whose name says nothing of the e-mail", async () => {
    const [user] = await db.sql`
      insert into auth.users (id, email) values (gen_random_uuid(), 'jane.roe@example.test') returning id`;
    const made = await profile(user?.id);
    expect(made?.username).toMatch(/^[a-z]+-[a-z]+-\d+$/);
    expect(made?.username).not.toMatch(/jane|roe|example/);
    expect(made).toMatchObject({ display_name: null, avatar_url: null });
  });

  test("many at once: as many names", async () => {
    const users = (
      await Promise.all(Array.from({ length: WISHES / 2 }, () => makeUsers(crowd.sql, 50)))
    ).flat();
    const [row] = await db.sql`
      select count(distinct lower(username))::int as names from hub_profiles where user_id = any(${users})`;
    expect(row?.names).toBe(users.length);
  });

  test("still gets an account when no profile can be made, and a profile with the first write", async () => {
    const fresh = await cloneDatabase();
    try {
      const asset = await makeAsset(fresh.sql);
      await fresh.sql`alter table hub_profiles add constraint broken check (username <> username) not valid`;
      const user = await makeUser(fresh.sql);
      expect(await fresh.sql`select from hub_profiles where user_id = ${user}`).toHaveLength(0);
      await fresh.sql`alter table hub_profiles drop constraint broken`;
      expect(await star(signedIn(fresh, user), asset.id)).toHaveProperty("rows");
      expect(await fresh.sql`select from hub_profiles where user_id = ${user}`).toHaveLength(1);
    } finally {
      await fresh.drop();
    }
  });
});

describe("what looks like a secret", () => {
  test.each([
    ["username", "sk-abcdefghijklmnopqrstuvwxyz"],
    ["display_name", "sk-abcdefghijklmnopqrstuvwxyz123456"],
    ["avatar_url", "https://example.test/me.png?token=abcdefgh12345678"],
  ])("is refused as %s, and not repeated", async (column, value) => {
    const user = await makeUser(db.sql);
    const before = await profile(user);
    const change = signedIn(db, user).run(
      (tx) => tx`update hub_profiles set ${tx({ [column]: value })} where user_id = ${user}`,
    );
    const error = await change.then(
      () => undefined,
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ code: "PT422", message: "secret_detected" });
    expect(JSON.parse(error.detail).errors).toMatchObject([{ path: column, code: "secret_detected" }]);
    expect(error.detail).not.toContain(value);
    expect(await profile(user)).toEqual(before);
  });
});

describe("a user name", () => {
  test("is taken without case, separators and look-alikes", async () => {
    const [one = "", two = ""] = await makeUsers(db.sql, 2);
    expect(await rename(one, "Silver-Otter10")).toHaveProperty("rows");
    for (const name of [
      "silver-otter10",
      "SILVEROTTER10",
      "silver_otter1o",
      "si1ver-otterl0",
      "Sliver-Otter10",
    ]) {
      expect(await rename(two, name)).toEqual({ refused: "username_taken" });
    }
    expect(await rename(one, "silver-OTTER10")).toHaveProperty("rows");
  });

  test.each([
    "ab",
    "x".repeat(31),
    "-abc",
    "abc-",
    "a b c",
    "аdmin-friend",
    "jane\u202eroe",
    "jane​roe",
    "jane.roe",
    "<script>",
    "",
  ])("%j is refused", async (name) => {
    expect(await rename(await makeUser(db.sql), name)).toEqual({ refused: "validation_failed" });
  });

  test.each([
    "admin",
    "Admin",
    "adm1n",
    "ADM-IN",
    "adrnin",
    "moderator",
    "rnoderator",
    "keyhub",
    "supp0rt",
    "null",
  ])("%j is nobody's", async (name) => {
    expect(await rename(await makeUser(db.sql), name)).toEqual({ refused: "username_taken" });
  });

  test("many users want one at once: one gets it, the others are told, and no constraint is named", async () => {
    const users = await makeUsers(db.sql, WISHES);
    let outcomes: Awaited<ReturnType<typeof rename>>[] = [];
    // The first user has taken the name, but nobody else can see that yet.
    await signedIn(crowd, users[0] ?? "").run(async (tx) => {
      await tx`update hub_profiles set username = 'the-one-name' where user_id = ${users[0] ?? ""}`;
      const others = users.slice(1).map((user) => rename(user, "the-one-name", signedIn(crowd, user)));
      void Promise.all(others).then((done) => {
        outcomes = done;
      });
      await untilWaiting(db.sql, "update hub_profiles", others.length);
    });
    await expect.poll(() => outcomes.length).toBe(WISHES - 1);
    expect(outcomes).toEqual(Array(WISHES - 1).fill({ refused: "username_taken" }));
  });
});

describe("the rest of a profile", () => {
  test.each([
    "javascript:alert(1)",
    "http://example.test/a.png",
    "data:image/png;base64,AAAA",
    "https://user:pw@example.test/a.png",
    "https://example.test/a b.png",
    'https://example.test/"onerror=alert(1)',
    "//example.test/a.png",
    "https://",
    `https://example.test/${"x".repeat(2048)}`,
  ])("avatar %s is refused", async (url) => {
    const user = await makeUser(db.sql);
    const outcome = await attempt(
      signedIn(db, user),
      (tx) => tx`update hub_profiles set avatar_url = ${url} where user_id = ${user}`,
    );
    expect(outcome).toEqual({ refused: "validation_failed" });
  });

  test("what is right is stored, trimmed; empty is nothing", async () => {
    const user = await makeUser(db.sql);
    const me = signedIn(db, user);
    await me.run(
      (tx) =>
        tx`update hub_profiles set display_name = ${" Zoë 日本 "}, avatar_url = 'https://example.test/a.png?s=1' where user_id = ${user}`,
    );
    expect(await profile(user)).toMatchObject({
      display_name: "Zoë 日本",
      avatar_url: "https://example.test/a.png?s=1",
    });
    await me.run((tx) => tx`update hub_profiles set display_name = '  ' where user_id = ${user}`);
    expect(await profile(user)).toMatchObject({ display_name: null });
    expect(
      await attempt(
        me,
        (tx) => tx`update hub_profiles set display_name = ${"a\u202eb"} where user_id = ${user}`,
      ),
    ).toEqual({ refused: "validation_failed" });
  });

  test("of others, or by an anonymous session: no rows; everybody reads, but not the banned", async () => {
    const [one = "", two = "", banned = ""] = await makeUsers(db.sql, 3);
    expect(await rename(one, "stolen-name", signedIn(db, two))).toMatchObject({ rows: { length: 0 } });
    expect(await rename(one, "stolen-name", anonymousSession(db, one))).toMatchObject({
      rows: { length: 0 },
    });
    expect(await rename(one, "stolen-name", anon(db))).toEqual({ refused: "42501" });
    await db.sql`insert into private.hub_bans (user_id) values (${banned})`;
    const seen = async (who: ReturnType<typeof anon>) =>
      (await who.run((tx) => tx`select user_id from hub_profiles where user_id in (${one}, ${banned})`))
        .length;
    expect(await seen(anon(db))).toBe(1);
    expect(await seen(signedIn(db, two))).toBe(1);
    expect(await seen(signedIn(db, banned))).toBe(2);
    expect(await seen(signedIn(db, await makeAdmin(db.sql)))).toBe(2);
  });
});
