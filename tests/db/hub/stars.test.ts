import { afterAll, beforeAll, expect, test } from "vitest";
import { type Actor, anonymousSession, attempt, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  assetRow,
  importAsset,
  makeAdmin,
  makeAsset,
  makeUser,
  makeUsers,
  star,
  unstar,
  untilWaiting,
  wrongCounters,
} from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

let db: Clone;
/** A new connection costs Postgres more than the statements of these tests do. */
const CONNECTIONS = LONG_TESTS ? 24 : 6;
/** Connections that the tests share, so that each is opened once. */
let crowd: { sql: Clone["sql"] };
beforeAll(async () => {
  db = await cloneDatabase();
  crowd = { sql: db.as("postgres" as never, CONNECTIONS) };
});
afterAll(() => db.drop());

const starCount = async (id: string) => (await assetRow(db.sql, id)).star_count;

test("a star counts once, also when it is sent again, and unstarring takes it back", async () => {
  const { id } = await makeAsset(db.sql);
  const user = signedIn(db, await makeUser(db.sql));
  await star(user, id);
  await star(user, id);
  // An insert of the same star without `on conflict` works, too: no error shows the name of a constraint.
  await user.run((tx) => tx`insert into hub_stars (asset_id) values (${id})`);
  expect(await starCount(id)).toBe(1);
  await unstar(user, id);
  await unstar(user, id);
  expect(await starCount(id)).toBe(0);
});

test("the same star sent many times at once, without on conflict: one star, no error", async () => {
  const { id } = await makeAsset(db.sql);
  const user = signedIn(crowd, await makeUser(db.sql));
  const outcomes = await Promise.all(
    Array.from({ length: 2 * CONNECTIONS }, () =>
      attempt(user, (tx) => tx`insert into hub_stars (asset_id) values (${id})`),
    ),
  );
  expect(outcomes.filter((outcome) => "refused" in outcome)).toEqual([]);
  expect(await starCount(id)).toBe(1);
});

test("counters never touch updated_at", async () => {
  const { id } = await makeAsset(db.sql);
  const before = await assetRow(db.sql, id);
  await star(signedIn(db, await makeUser(db.sql)), id);
  await importAsset(db.sql, await makeUser(db.sql), id);
  const after = await assetRow(db.sql, id);
  expect([after.star_count, after.install_count]).toEqual([1, 1]);
  expect(after.updated_at).toEqual(before.updated_at);
});

test("only what is visible is starred; hidden, private, deleted and missing are refused in the same words", async () => {
  const admin = await makeAdmin(db.sql);
  const [hidden, unpublished, deleted, banned] = await Promise.all(
    Array.from({ length: 4 }, () => makeAsset(db.sql)),
  );
  if (!hidden || !unpublished || !deleted || !banned) throw new Error("unreachable");
  await db.sql`update hub_assets set is_hidden = true where id = ${hidden.id}`;
  await db.sql`update hub_assets set is_public = false where id = ${unpublished.id}`;
  await db.sql`update hub_assets set deleted_at = now() where id = ${deleted.id}`;
  await signedIn(db, admin).run((tx) => tx`select hub_ban_creator(${banned.creator}, null)`);
  const user = signedIn(db, await makeUser(db.sql));
  const words = new Set<string>();
  for (const id of [hidden.id, unpublished.id, deleted.id, banned.id, crypto.randomUUID()]) {
    await user
      .run((tx) => tx`insert into hub_stars (asset_id) values (${id}) on conflict do nothing`)
      .then(() => words.add("accepted"))
      .catch(({ code, message, detail }) => words.add(`${code} ${message} ${detail ?? ""}`));
  }
  expect([...words]).toEqual(['42501 new row violates row-level security policy for table "hub_stars" ']);
});

test("unstarring needs no visible asset", async () => {
  const { id } = await makeAsset(db.sql);
  const user = signedIn(db, await makeUser(db.sql));
  await star(user, id);
  await db.sql`update hub_assets set is_hidden = true where id = ${id}`;
  await unstar(user, id);
  expect(await starCount(id)).toBe(0);
});

test("own assets may be starred", async () => {
  const { id, creator } = await makeAsset(db.sql);
  await star(signedIn(db, creator), id);
  expect(await starCount(id)).toBe(1);
});

test("neither somebody else's name, nor an anonymous session, nor a banned user stars", async () => {
  const { id } = await makeAsset(db.sql);
  const [user, other, banned] = await makeUsers(db.sql, 3);
  if (!user || !other || !banned) throw new Error("unreachable");
  await db.sql`insert into private.hub_bans (user_id) values (${banned})`;
  const as = (who: Actor, name: string) =>
    attempt(who, (tx) => tx`insert into hub_stars (asset_id, user_id) values (${id}, ${name})`);
  expect(await as(signedIn(db, user), other)).toEqual({ refused: "42501" });
  // The refusal does not show that the other user is banned.
  expect(await as(signedIn(db, user), banned)).toEqual({ refused: "42501" });
  expect(await as(anonymousSession(db, user), user)).toEqual({ refused: "42501" });
  expect(await as(signedIn(db, banned), banned)).toEqual({ refused: "banned" });
  expect(await unstar(signedIn(db, banned), id)).toEqual({ refused: "banned" });
  expect(await starCount(id)).toBe(0);
});

/** CROWD users unstar and twice as many star. Of each group, GONE users are deleted meanwhile. */
const CROWD = LONG_TESTS ? 100 : 16;
const GONE = CROWD / 4;

test("many users star while others unstar and some of both are deleted: the counter is the rows", async () => {
  const { id } = await makeAsset(db.sql);
  const second = await makeAsset(db.sql);
  const users = await makeUsers(db.sql, 3 * CROWD);
  const early = users.slice(0, CROWD);
  await starAs(early, [id, second.id]);
  const deleted = [...users.slice(0, GONE), ...users.slice(CROWD, CROWD + GONE)];
  const work = [
    ...users.slice(CROWD).map((user) => () => star(signedIn(crowd, user), id)),
    ...early.map((user) => () => unstar(signedIn(crowd, user), id)),
    ...deleted.map((user) => () => crowd.sql`delete from auth.users where id = ${user}`),
  ];
  const results = await Promise.allSettled(shuffled(work).map((start) => start()));
  const failures = results.flatMap((result) => (result.status === "rejected" ? [result.reason.code] : []));
  expect(failures).toEqual([]);
  const [rows] = await db.sql`select count(*)::int as stars from hub_stars where asset_id = ${id}`;
  expect(await starCount(id)).toBe(rows?.stars);
  expect(await starCount(second.id)).toBe(CROWD - GONE);
  expect(await wrongCounters(db.sql)).toEqual([]);
});

/** Users, or calls of one user, that meet on the same rows. */
const MANY = LONG_TESTS ? 60 : 18;

test("users who starred the same assets in other orders, many at a time, and are deleted at once: no deadlock", async () => {
  const assets = await Promise.all(Array.from({ length: 6 }, () => makeAsset(db.sql)));
  const ids = assets.map(({ id }) => id);
  const users = await makeUsers(db.sql, MANY);
  const starred = await Promise.all(
    users.map((user) =>
      attempt(
        signedIn(crowd, user),
        (tx) =>
          tx`insert into hub_stars ${tx(shuffled(ids).map((asset_id) => ({ asset_id, user_id: user })))}`,
      ),
    ),
  );
  expect(starred.filter((outcome) => "refused" in outcome)).toEqual([]);
  for (const { id } of assets) expect(await starCount(id)).toBe(MANY);
  const gone = (2 * MANY) / 3;
  await Promise.all([
    ...users.slice(0, gone).map((user) => crowd.sql`delete from auth.users where id = ${user}`),
    ...users
      .slice(gone)
      .map((user) =>
        attempt(signedIn(crowd, user), (tx) => tx`delete from hub_stars where user_id = ${user}`),
      ),
    ...assets.map(({ creator }) => crowd.sql`delete from auth.users where id = ${creator}`),
  ]);
  for (const { id } of assets) expect(await starCount(id)).toBe(0);
  expect(await wrongCounters(db.sql)).toEqual([]);
});

test("users who import at once count once each; one user, many times: 1 more; the creator: none; deleted users go", async () => {
  const { id, creator } = await makeAsset(db.sql);
  const users = await makeUsers(db.sql, MANY + 1);
  const [one = "", ...many] = users;
  const insert = (user: string) =>
    crowd.sql`insert into hub_imports (asset_id, user_id, version, mode) values (${id}, ${user}, 1, 'use')`;
  await Promise.all([
    ...many.map(insert),
    ...Array.from({ length: MANY }, () => insert(one)),
    ...Array.from({ length: 5 }, () => insert(creator)),
  ]);
  expect((await assetRow(db.sql, id)).install_count).toBe(MANY + 1);
  const gone = MANY / 3;
  await Promise.all(many.slice(0, gone).map((user) => crowd.sql`delete from auth.users where id = ${user}`));
  expect((await assetRow(db.sql, id)).install_count).toBe(MANY + 1 - gone);
  await db.auth`delete from auth.users where id = ${creator}`;
  expect((await assetRow(db.sql, id)).install_count).toBe(MANY + 1 - gone);
  expect(await wrongCounters(db.sql)).toEqual([]);
});

test("a second import waits for the first, and does not count", async () => {
  const { id } = await makeAsset(db.sql);
  const user = await makeUser(db.sql);
  const insert = (sql: Clone["sql"]) =>
    sql`insert into hub_imports (asset_id, user_id, version, mode) values (${id}, ${user}, 1, 'use')`;
  let second: Promise<unknown> = Promise.resolve();
  await db.sql.begin(async (tx) => {
    await insert(tx as never);
    second = Promise.resolve(insert(crowd.sql)).then(
      () => "done",
      (error) => error,
    );
    await untilWaiting(db.sql, "insert into hub_imports");
  });
  expect(await second).toBe("done");
  expect((await assetRow(db.sql, id)).install_count).toBe(1);
});

test("accounts that go at once and meet on the counters of what they starred and imported: no deadlock", async () => {
  const [one, two] = [await makeAsset(db.sql), await makeAsset(db.sql)];
  const users = await makeUsers(db.sql, MANY);
  const half = MANY / 2;
  for (const [some, imported, starred] of [
    [users.slice(0, half), one, two],
    [users.slice(half), two, one],
  ] as const) {
    await db.sql`
      insert into hub_imports (asset_id, user_id, version, mode)
      select ${imported.id}, unnest(${some}::uuid[]), 1, 'use'`;
    await starAs(some, [starred.id]);
    expect(await assetRow(db.sql, starred.id)).toMatchObject({ star_count: half });
  }
  await Promise.all(users.map((user) => crowd.sql`delete from auth.users where id = ${user}`));
  for (const { id } of [one, two]) {
    expect(await assetRow(db.sql, id)).toMatchObject({ star_count: 0, install_count: 0 });
  }
});

test("a star on an asset that is being deleted leaves nothing behind; unstarring meanwhile does not deadlock", async () => {
  const users = await makeUsers(db.sql, 10);
  for (let round = 0; round < (LONG_TESTS ? 20 : 6); round += 1) {
    const { id, creator } = await makeAsset(db.sql);
    await starAs(users.slice(0, 5), [id]);
    const results = await Promise.allSettled([
      ...users.slice(0, 5).map((user) => unstar(signedIn(crowd, user), id)),
      signedIn(crowd, creator).run((tx) => tx`select hub_delete_asset(${id})`),
      ...users.slice(5).map((user) => star(signedIn(crowd, user), id)),
    ]);
    expect(results.filter(({ status }) => status === "rejected")).toEqual([]);
    expect(await db.sql`select from hub_stars where asset_id = ${id}`).toHaveLength(0);
    expect(await starCount(id)).toBe(0);
  }
});

/** Adds a star of each user to each listing in one statement. */
async function starAs(users: readonly string[], assets: string[]): Promise<void> {
  await db.sql`
    insert into hub_stars (asset_id, user_id)
    select asset_id, user_id from unnest(${assets}::uuid[]) asset_id cross join unnest(${users as string[]}::uuid[]) user_id`;
}

function shuffled<T>(items: T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
