import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Actor, anon, attempt, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { call, importAsset, makeAdmin, makeAsset, makeUser, makeUsers, star } from "../../support/hub.ts";
import type { Card, Page } from "../../support/search.ts";

/* Tests trending, the curated collection, categories, creators' pages, and the view for galleries. Each test has its own hub. */

let db: Clone;
let guest: Actor;
let admin: string;
beforeAll(async () => {
  db = await cloneDatabase();
  guest = anon(db);
  admin = await makeAdmin(db.sql);
});
afterAll(() => db.drop());

async function rpc<T = { items: Card[] }>(who: Actor, statement: string): Promise<T> {
  const [row] = await who.run((tx) => tx.unsafe(`select ${statement} as answer`));
  return row?.answer as T;
}
const titlesOf = ({ items }: { items: Card[] }) => items.map(({ title }) => title);
const aged = (id: string, days: number) =>
  db.sql`update hub_assets set published_at = now() - make_interval(days => ${days}) where id = ${id}`;
const starredBy = async (id: string, count: number) => {
  for (const user of await makeUsers(db.sql, count)) await star(signedIn(db, user), id);
};

describe("trending", () => {
  test("by distinct actors of seven days without the creator's own, newer before older, as the formula says", async () => {
    const make = async (title: string) => makeAsset(db.sql, { title, slug: title });
    const [stars, installs, remixed, own, old, before] = [
      await make("stars"),
      await make("installs"),
      await make("remixed"),
      await make("own"),
      await make("old"),
      await make("before"),
    ];
    await starredBy(stars.id, 3); // weight 6: 2 for each star
    for (const user of await makeUsers(db.sql, 3)) {
      await importAsset(db.sql, user, installs.id); // weight 9: 3 for each user's first import
      await importAsset(db.sql, user, installs.id);
    }
    const [remixer = ""] = await makeUsers(db.sql, 1);
    const { refId } = await importAsset(db.sql, remixer, remixed.id, "remix"); // weight 8: 3 for the import, 5 for the remix
    await makeAsset(db.sql, { creator: remixer, refId, title: "the remix", slug: "the-remix" });
    await star(signedIn(db, own.creator), own.id);
    await importAsset(db.sql, own.creator, own.id);
    await starredBy(old.id, 4);
    await aged(old.id, 300); // score ln(1 + 8) · 0.25: age lowers it
    await starredBy(before.id, 5);
    await db.sql`update hub_stars set starred_at = now() - interval '8 days' where asset_id = ${before.id}`;
    expect(titlesOf(await rpc(guest, "hub_trending()"))).toEqual(["installs", "remixed", "stars", "old"]);
    expect(titlesOf(await rpc(guest, "hub_trending(2)"))).toEqual(["installs", "remixed"]);

    // A hidden listing disappears at once, even from a snapshot.
    await db.sql`
      update private.hub_snapshots set value = private.count_trending(null), made_at = now() where name = 'trending'`;
    await call(signedIn(db, admin), "hub_hide_asset", installs.id, "For a test.");
    expect(titlesOf(await rpc(guest, "hub_trending()"))).toEqual(["remixed", "stars", "old"]);
    for (const who of [signedIn(db, installs.creator), signedIn(db, admin)])
      expect(titlesOf(await rpc(who, "hub_trending()"))).toEqual(["remixed", "stars", "old"]);

    // A snapshot is used for a day.
    await starredBy(own.id, 20);
    expect(titlesOf(await rpc(guest, "hub_trending()"))).not.toContain("own");
    await db.sql`update private.hub_snapshots set made_at = now() - interval '25 hours'`;
    expect(titlesOf(await rpc(guest, "hub_trending()"))[0]).toBe("own");
  });

  test("without a schedule one writer makes the snapshot, where there are more acts than a call counts", async () => {
    const [few, many] = [
      await makeAsset(db.sql, { title: "few", slug: "few" }),
      await makeAsset(db.sql, { title: "many", slug: "many" }),
    ];
    const snapshot = async () => {
      const [row] = await db.sql`
        select value, made_at > now() - interval '1 minute' as is_fresh from private.hub_snapshots where name = 'trending'`;
      return row;
    };
    const growOld = () =>
      db.sql`update private.hub_snapshots set value = '[]', made_at = now() - interval '16 minutes'`;
    await growOld();
    await starredBy(few.id, 1);
    expect(await snapshot()).toEqual({ value: null, is_fresh: true });
    await db.sql`select hub_refresh_discovery()`;
    expect(await snapshot()).toEqual({ value: null, is_fresh: true });
    expect(titlesOf(await rpc(guest, "hub_trending()"))).toContain("few");

    // Runs statements without triggers: the users of the rows need no accounts, and no counter changes.
    const withoutTriggers = (work: (tx: postgres.TransactionSql) => Promise<unknown>) =>
      db.sql.begin(async (tx) => {
        await tx`set local session_replication_role = replica`;
        await work(tx);
      });
    await withoutTriggers(
      (tx) => tx`
        insert into hub_stars (asset_id, user_id) select ${many.id}, gen_random_uuid() from generate_series(1, 101)`,
    );
    const acts = [
      () => starredBy(few.id, 1),
      async () => importAsset(db.sql, await makeUser(db.sql), few.id),
      () => db.sql`select hub_refresh_discovery()`,
    ];
    for (const act of acts) {
      await growOld();
      await act();
      const made = await snapshot();
      expect([made?.value.slice(0, 1), made?.value.includes(few.id), made?.is_fresh]).toEqual([
        [many.id],
        true,
        true,
      ]);
    }

    // A fresh snapshot is not replaced. If the snapshot is old, one caller makes the next one, and nobody waits for this caller.
    await db.sql`update private.hub_snapshots set value = '[]' where name = 'trending'`;
    await starredBy(few.id, 1);
    expect(await snapshot()).toEqual({ value: [], is_fresh: true });
    await growOld();
    const [one = "", other = ""] = await makeUsers(db.sql, 2);
    await signedIn(db, one).run(async (tx) => {
      await tx`insert into hub_stars (asset_id) values (${many.id})`;
      await signedIn(db, other).run(async (impatient) => {
        await impatient`set local lock_timeout = '2s'`;
        await impatient`insert into hub_stars (asset_id) values (${few.id})`;
      });
      expect(await snapshot()).toEqual({ value: [], is_fresh: false });
    });
    expect((await snapshot())?.value[0]).toBe(many.id);
    await withoutTriggers((tx) => tx`delete from hub_stars where user_id not in (select id from auth.users)`);
  });

  test("two of a creator among the first twenty; more come behind them", async () => {
    await db.sql`delete from hub_stars`;
    await db.sql`update hub_assets set is_public = false`;
    await db.sql`update private.hub_snapshots set made_at = '-infinity'`;
    const one = await makeUser(db.sql);
    for (let i = 0; i < 4; i += 1) {
      const { id } = await makeAsset(db.sql, { creator: one, title: `of one ${i}`, slug: `of-one-${i}` });
      await starredBy(id, 6 - i);
    }
    expect(titlesOf(await rpc(guest, "hub_trending()"))).toEqual(["of one 0", "of one 1"]);
    for (let i = 0; i < 19; i += 1)
      await starredBy((await makeAsset(db.sql, { title: `other ${i}`, slug: `other-${i}` })).id, 1);
    const found = titlesOf(await rpc(guest, "hub_trending(30)"));
    expect(found).toHaveLength(23);
    expect(found.slice(0, 20).filter((title) => title.startsWith("of one"))).toEqual([
      "of one 0",
      "of one 1",
    ]);
    expect(found.slice(20, 22)).toEqual(["of one 2", "of one 3"]);
  });

  test.each([0, -1, 101, 1_000_000_000])("page_size %i is refused", async (size) => {
    await expect(rpc(guest, `hub_trending(${size})`)).rejects.toMatchObject({
      code: "PT422",
      detail: expect.stringContaining("page_size"),
    });
  });
});

describe("the curated collection", () => {
  test("admins put into it what is visible, and take it out; everybody else is refused", async () => {
    const { id: first, creator } = await makeAsset(db.sql, { title: "First", slug: "first" });
    const { id: second } = await makeAsset(db.sql, { title: "Second", slug: "second" });
    const { id: hidden } = await makeAsset(db.sql, { title: "Hidden", slug: "hidden" });
    const moderator = signedIn(db, admin);
    await call(moderator, "hub_hide_asset", hidden, "For a test.");
    for (const who of [guest, signedIn(db, creator)])
      for (const name of ["hub_feature_asset", "hub_unfeature_asset"])
        expect(await call(who, name, first)).toEqual({ refused: "42501" });
    expect(await call(moderator, "hub_feature_asset", hidden)).toEqual({ refused: "not_visible" });
    expect(await call(moderator, "hub_feature_asset", crypto.randomUUID())).toEqual({
      refused: "asset_not_found",
    });
    await call(moderator, "hub_feature_asset", first);
    await call(moderator, "hub_feature_asset", second);
    expect(titlesOf(await rpc(guest, "hub_featured_assets()"))).toEqual(["First", "Second"]);
    await attempt(moderator, (tx) => tx`select hub_feature_asset(${first}, 9)`);
    expect(titlesOf(await rpc(guest, "hub_featured_assets()"))).toEqual(["Second", "First"]);
    await call(moderator, "hub_hide_asset", second, "For a test.");
    for (const who of [guest, moderator])
      expect(titlesOf(await rpc(who, "hub_featured_assets()"))).toEqual(["First"]);
    await call(moderator, "hub_unfeature_asset", first);
    await call(moderator, "hub_unfeature_asset", first);
    expect(titlesOf(await rpc(guest, "hub_featured_assets()"))).toEqual([]);
  });
});

describe("categories", () => {
  test("the suggested tags with the number of visible listings", async () => {
    const suggested = await db.sql`select tag, kind from private.suggested_tags() order by place`;
    const counts = async () => {
      const { items } = await rpc<{ items: { tag: string; kind: string; count: number }[] }>(
        guest,
        "hub_categories()",
      );
      expect(items.map(({ tag, kind }) => ({ tag, kind }))).toEqual([...suggested]);
      return items.find(({ tag }) => tag === "legal");
    };
    await db.sql`delete from private.hub_snapshots`;
    await makeAsset(db.sql, { tags: ["legal"], slug: "legal" });
    const { id } = await makeAsset(db.sql, { tags: ["legal", "qa"], slug: "legal" });
    expect(await counts()).toEqual({ tag: "legal", kind: "domain", count: 2 });
    await call(signedIn(db, admin), "hub_hide_asset", id, "For a test.");
    expect(await counts()).toEqual({ tag: "legal", kind: "domain", count: 1 });
  });
});

describe("a creator's page", () => {
  test("profile, totals and listings of what is visible, for everybody alike", async () => {
    const creator = await makeUser(db.sql);
    await db.sql`update hub_profiles set username = 'Some_Body', display_name = 'Some Body' where user_id = ${creator}`;
    const { id } = await makeAsset(db.sql, { creator, title: "Seen", slug: "seen" });
    const { id: hidden } = await makeAsset(db.sql, { creator, title: "Unseen", slug: "unseen" });
    for (const asset of [id, hidden]) {
      await starredBy(asset, 2);
      await importAsset(db.sql, await makeUser(db.sql), asset);
    }
    await importAsset(db.sql, creator, id);
    await call(signedIn(db, admin), "hub_hide_asset", hidden, "For a test.");
    for (const who of [guest, signedIn(db, creator), signedIn(db, admin)]) {
      expect(await rpc(who, "hub_creator('some_body')")).toEqual({
        ...{
          username: "Some_Body",
          display_name: "Some Body",
          avatar_url: null,
          verified: false,
          member_since: expect.any(String),
        },
        ...{ published_assets: 1, total_installs: 1, total_stars: 2, next_cursor: null },
        items: [
          expect.objectContaining({
            title: "Seen",
            creator: { username: "Some_Body", avatar_url: null, verified: false },
          }),
        ],
      });
    }
  });

  test("who is banned has none, as nobody has", async () => {
    const creator = await makeUser(db.sql);
    await db.sql`update hub_profiles set username = 'banned-one' where user_id = ${creator}`;
    await call(signedIn(db, admin), "hub_ban_creator", creator, "For a test.");
    for (const who of [guest, signedIn(db, creator), signedIn(db, admin)])
      for (const name of ["banned-one", "nobody", "", "%", "banned_one"])
        expect(await attempt(who, (tx) => tx`select hub_creator(${name})`)).toEqual({
          refused: "user_not_found",
        });
  });

  test("goes on with hub_search where it is long", async () => {
    const creator = await makeUser(db.sql);
    await db.sql`update hub_profiles set username = 'long-list' where user_id = ${creator}`;
    for (let i = 0; i < 26; i += 1)
      await makeAsset(db.sql, { creator, title: `Long ${i}`, slug: `long-${i}` });
    const first = await rpc<Page>(guest, "hub_creator('long-list')");
    const [row] = await guest.run(
      (tx) => tx`select hub_search(creator => 'Long-List', cursor => ${first.next_cursor}) as page`,
    );
    expect([first.items.length, titlesOf(row?.page), row?.page.next_cursor]).toEqual([
      24,
      ["Long 1", "Long 0"],
      null,
    ]);
  });
});

test("hub_listings: visible listings for everybody, also for those who see more of the table", async () => {
  const { id, creator } = await makeAsset(db.sql, { title: "Listed", slug: "listed" });
  const { id: hidden } = await makeAsset(db.sql, { creator, title: "Not listed", slug: "not-listed" });
  await call(signedIn(db, admin), "hub_hide_asset", hidden, "For a test.");
  const { id: copy } = await importAsset(db.sql, creator, id);
  for (const who of [guest, signedIn(db, creator), signedIn(db, admin)]) {
    const rows = await who.run(
      (tx) =>
        tx`select id, title, version, creator from hub_listings where id in (${id}, ${hidden}, ${copy})`,
    );
    expect([...rows]).toEqual([
      {
        id,
        title: "Listed",
        version: 1,
        creator: { username: expect.any(String), avatar_url: null, verified: false },
      },
    ]);
  }
});
