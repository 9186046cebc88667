import { afterAll, beforeAll, expect, test } from "vitest";
import { attempt, signedIn } from "../../support/actors.ts";
import { expectWait } from "../../support/cost.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { call, makeAdmin, makeAsset, makeUser, publish, untilWaiting } from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

let db: Clone;
let admin: string;
beforeAll(async () => {
  db = await cloneDatabase();
  admin = await makeAdmin(db.sql);
});
afterAll(() => db.drop());

test.each([
  ["a long run of combining marks", ["a".concat("\u0301\u0323".repeat(300_000))]],
  ["a hundred thousand tags", Array.from({ length: 100_000 }, (_, i) => `t${i}`)],
])("%s is refused before anything is made of it", async (_, tags) => {
  const { id, creator } = await makeAsset(db.sql);
  const edit = () =>
    attempt(signedIn(db, creator), (sql) => sql`update hub_assets set tags = ${tags} where id = ${id}`);
  expect(await edit()).toEqual({ refused: "validation_failed" });
  // `look` reads every letter once. The refusal once took a thousand times as long as `look`: minutes, in which nobody could cancel it.
  const look = () =>
    db.sql`select count(*) from unnest(${tags}::text[]) tag where lower(tag) ~ '[[:alpha:]]$'`;
  await expectWait(edit, look, 200);
});

test.each([
  [
    "a secret split by what nobody sees",
    { title: `sk-abcdefghij${"\u200c"}klmnopqrstuvwxyz` },
    "validation_failed",
  ],
  ["a secret among the tags", { tags: ["AKIA".concat("Q3EGRHZX5QW7PLMN")] }, "secret_detected"],
  ["a title that shows nothing", { title: "\u3164\u200d\u00ad" }, "validation_failed"],
])("%s is refused", async (_, change, code) => {
  const { id, creator } = await makeAsset(db.sql);
  expect(
    await attempt(signedIn(db, creator), (sql) => sql`update hub_assets set ${sql(change)} where id = ${id}`),
  ).toEqual({ refused: code });
});

test("a title in Persian and one with a family of emoji stay as they are", async () => {
  const { id, creator } = await makeAsset(db.sql);
  for (const title of ["می\u200cخواهم", "👨\u200d👩\u200d👧 ❤\ufe0f"]) {
    await attempt(
      signedIn(db, creator),
      (sql) => sql`update hub_assets set title = ${title} where id = ${id}`,
    );
    const [row] = await db.sql`select title from hub_assets where id = ${id}`;
    expect(row?.title).toBe(title);
  }
});

test("an owner who edits everything at once holds off neither a ban nor the end of their account", async () => {
  const creator = await makeUser(db.sql);
  const own = [];
  for (let i = 0; i < (LONG_TESTS ? 12 : 6); i += 1)
    own.push(await publish(db.sql, creator, { payload: { content: `No. ${i}` } }));
  let stop = false;
  const edits = Array.from({ length: LONG_TESTS ? 4 : 3 }, async (_, n) => {
    const seen = new Set<string>();
    for (let i = 0; !stop; i += 1) {
      const answer = await attempt(
        signedIn(db, creator),
        (sql) => sql`update hub_assets set description = ${`Edit ${n} ${i}`} where creator_id = ${creator}`,
      );
      if ("refused" in answer) seen.add(answer.refused);
    }
    return [...seen];
  });
  for (let round = 0; round < (LONG_TESTS ? 6 : 3); round += 1) {
    expect(await call(signedIn(db, admin), "hub_ban_creator", creator, "spam")).not.toHaveProperty("refused");
    expect(await call(signedIn(db, admin), "hub_unban_creator", creator)).not.toHaveProperty("refused");
  }
  await db.auth`delete from auth.users where id = ${creator}`;
  stop = true;
  for (const refusals of await Promise.all(edits)) {
    expect(refusals.filter((code) => !["banned", "unavailable", "42501"].includes(code))).toEqual([]);
  }
});

test("nobody gets an office and a ban at the same moment", async () => {
  const user = await makeUser(db.sql);
  let banned: Promise<unknown> = Promise.resolve();
  await db.sql.begin(async (tx) => {
    await tx`insert into hub_admins (user_id) values (${user})`;
    banned = call(signedIn(db, admin), "hub_ban_creator", user, "race");
    await untilWaiting(db.sql, "hub_ban_creator");
  });
  expect(await banned).toEqual({ refused: "cannot_ban_admin" });
});

test.each([
  ["a version that is not stored", "update hub_assets set current_version = 99 where id = $1"],
  ["a tombstone made public", "update hub_assets set deleted_at = null, is_public = true where id = $1"],
])("no operator's edit makes public what cannot be read: %s", async (what, statement) => {
  const { id, creator } = await makeAsset(db.sql);
  if (what.startsWith("a tombstone")) await call(signedIn(db, creator), "hub_delete_asset", id);
  await expect(db.sql.unsafe(statement, [id])).rejects.toMatchObject({ message: "version_missing" });
});

test("a listing is not given to somebody else", async () => {
  const { id } = await makeAsset(db.sql);
  const other = await makeUser(db.sql);
  await expect(db.sql`update hub_assets set creator_id = ${other} where id = ${id}`).rejects.toMatchObject({
    message: "asset_is_fixed",
  });
});
