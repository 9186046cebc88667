import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Actor, anon, attempt, service, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { call, makeAdmin, makeAsset, makeUser } from "../../support/hub.ts";

/* Tests the picture that an owner uploads for a listing: who may set it, who sees it, and what happens to it. */

let db: Clone;
let admin: Actor;
beforeAll(async () => {
  db = await cloneDatabase();
  admin = signedIn(db, await makeAdmin(db.sql));
});
afterAll(() => db.drop());

const hashOf = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
const RED = Buffer.from("a red picture");
const BLUE = Buffer.from("a blue picture");

/** Calls the RPC as the function hub-picture does; null bytes remove the picture. */
function setPicture(user: string, listing: string, bytes: Buffer | null, hourly = 100) {
  const picture = bytes && {
    ...{ media_type: "image/png", width: 2, height: 3 },
    bytes: bytes.toString("base64"),
  };
  return attempt(
    service(db),
    (tx) =>
      tx`select hub_set_picture(${user}, ${listing}, ${picture && tx.json(picture)}, ${hourly}) as answer`,
  );
}

const stateOf = async (id: string) => {
  const [row] = await db.sql`
    select a.picture, a.updated_at, p.created_at from hub_assets a left join hub_pictures p on p.asset_id = a.id where a.id = ${id}`;
  return row as { picture: string | null; updated_at: Date; created_at: Date | null };
};

/** Returns the bytes of the picture as text; null if this actor cannot read it. */
async function seenBy(who: Actor, id: string, bytes: Buffer): Promise<string | null> {
  const [row] = await who.run((tx) => tx`select hub_picture(${id}, ${hashOf(bytes)}) as picture`);
  return row?.picture && Buffer.from(row.picture.bytes, "base64").toString();
}

const cardsOf = async (id: string) => {
  const [row] = await anon(db).run(
    (tx) => tx`
      select hub_asset(${id}) ->> 'picture' as page, private.asset_cards(array[${id}::uuid]) -> 0 ->> 'picture' as list,
        private.remix_cards(array[${id}::uuid], '{}', 1) -> 0 ->> 'picture' as remixes,
        (select picture from hub_listings where id = ${id}) as view`,
  );
  return [row?.page, row?.list, row?.remixes, row?.view];
};

test("the owner sets, replaces and removes it, by id or slug; every card says which one there is", async () => {
  const { id, slug, creator } = await makeAsset(db.sql);
  expect(await setPicture(creator, id, RED)).toEqual({ rows: [{ answer: { id, picture: hashOf(RED) } }] });
  expect(await cardsOf(id)).toEqual(Array(4).fill(hashOf(RED)));
  expect(await setPicture(creator, slug, BLUE)).toEqual({
    rows: [{ answer: { id, picture: hashOf(BLUE) } }],
  });
  expect(await seenBy(anon(db), id, BLUE)).toBe("a blue picture");
  expect(await seenBy(anon(db), id, RED)).toBeNull();
  for (let times = 0; times < 2; times += 1)
    expect(await setPicture(creator, id, null)).toEqual({ rows: [{ answer: { id, picture: null } }] });
  expect(await cardsOf(id)).toEqual(Array(4).fill(null));
  expect(await seenBy(anon(db), id, BLUE)).toBeNull();
});

test("the same picture again changes nothing; another one is a change of the listing", async () => {
  const { id, creator } = await makeAsset(db.sql);
  const bare = await stateOf(id);
  await setPicture(creator, id, RED);
  const first = await stateOf(id);
  expect(first.updated_at > bare.updated_at).toBe(true);
  await setPicture(creator, id, RED);
  expect(await stateOf(id)).toEqual(first);
  await setPicture(creator, id, BLUE);
  const second = await stateOf(id);
  expect(second.updated_at > first.updated_at).toBe(true);
  expect(second.created_at && first.created_at && second.created_at > first.created_at).toBe(true);
});

test("nobody else sets one: a listing that is seen is not theirs, any other is not there", async () => {
  const { id, creator } = await makeAsset(db.sql);
  const stranger = await makeUser(db.sql);
  const gone = await makeAsset(db.sql, { creator });
  await setPicture(creator, id, RED);
  expect(await setPicture(stranger, id, BLUE)).toEqual({ refused: "not_owner" });
  expect(await setPicture(stranger, id, null)).toEqual({ refused: "not_owner" });
  expect(await setPicture(stranger, "nothing-of-this-name", BLUE)).toEqual({ refused: "asset_not_found" });
  await call(signedIn(db, creator), "hub_unpublish_asset", id);
  expect(await setPicture(stranger, id, BLUE)).toEqual({ refused: "asset_not_found" });
  expect((await stateOf(id)).picture).toBe(hashOf(RED));
  // The owner may set the picture while nobody sees the listing.
  expect(await setPicture(creator, id, BLUE)).toHaveProperty("rows");
  await call(signedIn(db, creator), "hub_delete_asset", gone.id);
  expect(await setPicture(creator, gone.id, RED)).toEqual({ refused: "asset_not_found" });
});

test("a picture is hidden with its listing, and its owner and admins see it", async () => {
  const { id, creator } = await makeAsset(db.sql);
  const [owner, stranger] = [signedIn(db, creator), signedIn(db, await makeUser(db.sql))];
  await setPicture(creator, id, RED);
  const expectSeen = async (...whom: Actor[]) => {
    for (const who of [anon(db), stranger, owner, admin])
      expect(await seenBy(who, id, RED)).toBe(
        whom.includes(who) || whom.length === 0 ? "a red picture" : null,
      );
  };
  await expectSeen();
  await call(admin, "hub_hide_asset", id, "For a test.");
  await expectSeen(owner, admin);
  await call(admin, "hub_restore_asset", id, null);
  await expectSeen();
  await call(owner, "hub_unpublish_asset", id);
  await expectSeen(owner, admin);
  await call(owner, "hub_republish_asset", id);
  await call(admin, "hub_ban_creator", creator, "For a test.");
  await expectSeen(owner, admin);
  expect(await setPicture(creator, id, BLUE)).toEqual({ refused: "banned" });
  expect(await setPicture(creator, id, null)).toEqual({ refused: "banned" });
});

test("a deleted listing has none: neither a tombstone nor one that is published again", async () => {
  const { id, creator, refId } = await makeAsset(db.sql);
  await setPicture(creator, id, RED);
  await call(signedIn(db, creator), "hub_delete_asset", id);
  expect(await stateOf(id)).toMatchObject({ picture: null, created_at: null });
  await makeAsset(db.sql, { creator, refId });
  expect(await cardsOf(id)).toEqual(Array(4).fill(null));
  await setPicture(creator, id, RED);
  await call(admin, "hub_hide_asset", id, "For a test.");
  await call(admin, "hub_remove_asset", id, null);
  expect(await stateOf(id)).toMatchObject({ picture: null, created_at: null });
  await setPicture(creator, id, RED);
  await db.sql`delete from hub_assets where id = ${id}`;
  expect(await db.sql`select from hub_pictures where asset_id = ${id}`).toHaveLength(0);
});

test("what an operator edits leaves the column true", async () => {
  const { id } = await makeAsset(db.sql);
  await db.sql`update hub_assets set picture = ${"0".repeat(64)} where id = ${id}`;
  expect((await stateOf(id)).picture).toBeNull();
  await db.sql`
    insert into hub_pictures (asset_id, media_type, bytes, width, height) values (${id}, 'image/png', ${RED}, 1, 1)`;
  expect((await stateOf(id)).picture).toBe(hashOf(RED));
  await db.sql`update hub_assets set picture = null where id = ${id}`;
  expect((await stateOf(id)).picture).toBe(hashOf(RED));
  await db.sql`update hub_pictures set bytes = ${BLUE} where asset_id = ${id}`;
  expect((await stateOf(id)).picture).toBe(hashOf(BLUE));
  await db.sql`delete from hub_pictures where asset_id = ${id}`;
  expect((await stateOf(id)).picture).toBeNull();
  await expect(db.sql`truncate hub_pictures`).rejects.toMatchObject({ message: "append_only" });
});

test("two owners' calls at once leave one picture, and the column says which", async () => {
  const { id, creator } = await makeAsset(db.sql);
  const all = await Promise.all(
    Array.from({ length: 12 }, (_, n) => setPicture(creator, id, n % 3 === 2 ? null : n % 3 ? RED : BLUE)),
  );
  expect(all.every((one) => "rows" in one)).toBe(true);
  const [stored] = await db.sql`select sha256 from hub_pictures where asset_id = ${id}`;
  expect((await stateOf(id)).picture).toBe(stored?.sha256 ?? null);
});

test("a user sets so many pictures an hour, and is told when the next one may be", async () => {
  const { id, creator } = await makeAsset(db.sql);
  for (const bytes of [RED, null]) expect(await setPicture(creator, id, bytes, 2)).toHaveProperty("rows");
  expect(await setPicture(creator, id, RED, 2)).toEqual({ refused: "rate_limited" });
  expect((await stateOf(id)).picture).toBeNull();
  // The calls of another user are counted separately.
  const other = await makeAsset(db.sql);
  expect(await setPicture(other.creator, other.id, RED, 2)).toHaveProperty("rows");
});
