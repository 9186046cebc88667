import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anon, attempt, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { makeUser } from "../../support/hub.ts";

/* Tests names that were given up, names that claim to speak for the hub, and names that look like somebody else's. */

let db: Clone;
let crowd: { sql: Clone["sql"] };
beforeAll(async () => {
  db = await cloneDatabase();
  crowd = { sql: db.as("postgres" as never, 10) };
});
afterAll(() => db.drop());

const change = (user: string, columns: Record<string, string>, on: Pick<Clone, "sql"> = db) =>
  attempt(
    signedIn(on, user),
    (tx) => tx`update hub_profiles set ${tx(columns)} where user_id = ${user} returning username`,
  );
const fine = { rows: expect.anything() };
const taken = { refused: "username_taken" };
const shown = { refused: "display_name_taken" };
let n = 0;
const named = async (prefix: string, display_name?: string) => {
  n += 1;
  const [user, username] = [await makeUser(db.sql), `${prefix}-${n}x`];
  expect(await change(user, { username, ...(display_name && { display_name }) })).toEqual(fine);
  return { user, username };
};
const creator = (username: string) =>
  attempt(anon(db), async (tx) => [(await tx`select hub_creator(${username}) as page`)[0]?.page.username]);
const age = (username: string, days: number) =>
  db.sql`update private.hub_former_names set given_up_at = now() - ${days} * interval '1 day' where username = ${username}`;

describe("a name that was given up", () => {
  test("is nobody else's for 180 days, leads to its owner, and can be taken back", async () => {
    const { user, username } = await named("vic");
    const other = await makeUser(db.sql);
    expect(await change(user, { username: "vic-new" })).toEqual(fine);
    for (const like of [username, username.toUpperCase(), username.replace("-", "_")])
      expect(await change(other, { username: like })).toEqual(taken);
    expect(await change(other, { display_name: username })).toEqual(shown);
    expect(await creator(username)).toEqual({ rows: ["vic-new"] });
    expect(await creator(`${username}y`)).toEqual({ refused: "user_not_found" });
    await age(username, 179);
    expect(await change(other, { username })).toEqual(taken);
    await age(username, 181);
    expect(await creator(username)).toEqual({ refused: "user_not_found" });
    expect(await change(other, { username })).toEqual(fine);
    expect(await creator(username)).toEqual({ rows: [username] });

    expect(await change(user, { username: "vic-third" })).toEqual(fine);
    expect(await change(user, { username: "vic-new" })).toEqual(fine);
    expect(await db.sql`select from private.hub_former_names where username = 'vic-new'`).toHaveLength(0);
  });

  test("stays with a deleted account, and leads nowhere; so does that of a banned one", async () => {
    const [gone, banned] = [await named("gone"), await named("banned")];
    await change(banned.user, { username: "banned-now" });
    await db.sql`insert into private.hub_bans (user_id) values (${banned.user})`;
    expect(await creator(banned.username)).toEqual({ refused: "user_not_found" });
    // The search finds a creator by name with this function, which must not find a banned creator.
    const [found] = await db.sql`select private.creator_by_name(${banned.username}) as id`;
    expect(found?.id).toBeNull();
    await db.auth`delete from auth.users where id = ${gone.user}`;
    expect(await creator(gone.username)).toEqual({ refused: "user_not_found" });
    expect(await change(await makeUser(db.sql), { username: gone.username })).toEqual(taken);
    await age(gone.username, 181);
    await db.sql`select hub_prune()`;
    expect(await db.sql`select from private.hub_former_names where username = ${gone.username}`).toHaveLength(
      0,
    );
  });

  test("renaming collects no more than five", async () => {
    const { user, username } = await named("collector");
    for (let i = 0; i < 7; i += 1) expect(await change(user, { username: `collected-${i}y` })).toEqual(fine);
    const kept = await db.sql`select from private.hub_former_names where user_id = ${user}`;
    expect(kept).toHaveLength(5);
    expect(await change(await makeUser(db.sql), { username })).toEqual(fine);
  });

  test("is not free between the renaming and its end", async () => {
    const { user, username } = await named("between");
    const other = await makeUser(db.sql);
    const outcomes = await Promise.all([
      change(user, { username: `${username}-b` }, crowd),
      change(other, { username }, crowd),
    ]);
    expect(outcomes).toEqual([fine, taken]);
  });
});

test.each([
  "keyhub-support",
  "Keyhub_Team",
  "administration",
  "adrnin-2",
  "official-x",
  "supporters",
  "rnoderators",
  "staff-member",
])("%s speaks for the hub: it is nobody's user name and nobody's shown name", async (username) => {
  const user = await makeUser(db.sql);
  expect(await change(user, { username })).toEqual(taken);
  expect(await change(user, { display_name: username })).toEqual(shown);
});

describe("a shown name", () => {
  test("looks like nobody else's shown name or user name", async () => {
    const { user, username } = await named("victoria", "Vic Ferri");
    const other = await makeUser(db.sql);
    // The third name has a Cyrillic і and е, the fourth name a wide letter.
    for (const like of ["Vic Ferri", "vic  FERRI!", "Vіc Fеrri", "Ｖic Ferri", "V1c Férri", "@vic_ferri"])
      expect(await change(other, { display_name: like }), like).toEqual(shown);
    for (const like of [username, `@${username}`, username.replace("-", " ").toUpperCase()])
      expect(await change(other, { display_name: like }), like).toEqual(shown);
    expect(await change(other, { display_name: "Vic Ferris" })).toEqual(fine);
    expect(await change(user, { display_name: username })).toEqual(fine);
    expect(await change(user, { display_name: "Vic Ferri" })).toEqual(fine);
    for (const one of ["🦉", "Мария", "王芳"])
      expect(await change(other, { display_name: one })).toEqual(fine);
    expect(await change(user, { display_name: "🐙" })).toEqual(fine);
  });

  test.each(["✓", "✔", "✔️", "☑", "✅", "√", "🗸", "🗹"])("carries no check mark: %s", async (mark) => {
    expect(await change(await makeUser(db.sql), { display_name: `Ada ${mark}` })).toEqual({
      refused: "validation_failed",
    });
  });

  test("two who want it at once: one gets it; two who want two names crosswise do not deadlock", async () => {
    const [one, two] = [await makeUser(db.sql), await makeUser(db.sql)];
    const both = await Promise.all(
      [one, two].map((user) => change(user, { display_name: "Wanted Name" }, crowd)),
    );
    expect(both.filter((each) => "rows" in each)).toHaveLength(1);
    for (let i = 0; i < 8; i += 1) {
      const crosswise = await Promise.all([
        change(one, { username: `cross-${i}`, display_name: `Over ${i}` }, crowd),
        change(two, { username: `over-${i}`, display_name: `Cross ${i}` }, crowd),
      ]);
      expect(crosswise.filter((each) => "rows" in each).length).toBeGreaterThan(0);
    }
  });
});
