import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attempt, operator, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  addSource,
  assetRow,
  call,
  makeAsset,
  makeUser,
  makeUsers,
  publish,
  sha256,
  star,
} from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";

/* Tests publishing: versions, slugs, and calls at the same time. */

let db: Clone;
let crowd: Clone["sql"];
beforeAll(async () => {
  db = await cloneDatabase();
  crowd = db.as("postgres" as never, LONG_TESTS ? 50 : 8);
});
afterAll(() => db.drop());

const versions = (id: string) =>
  db.sql`select * from hub_asset_versions where asset_id = ${id} order by version`;

describe("publishing", () => {
  test("the same again is the same version; other content or metadata is the next one", async () => {
    const creator = await makeUser(db.sql);
    const first = await publish(db.sql, creator, { slug: "versions" });
    const { refId } = first;
    expect(first).toMatchObject({ version: 1, created: true });
    expect(await publish(db.sql, creator, { refId, slug: "versions" })).toMatchObject({
      version: 1,
      created: false,
    });
    expect(await publish(db.sql, creator, { refId, payload: { content: "Two" } })).toMatchObject({
      version: 2,
    });
    expect(
      await publish(db.sql, creator, { refId, payload: { content: "Two" }, license: "cc0" }),
    ).toMatchObject({ version: 3 });
    const item = {
      asset_type: "template",
      ref_id: refId,
      title: "x",
      payload: {},
      sha256: sha256({}),
      license: "cc0",
    };
    const bundle = { refId, payload: { content: "Two" }, license: "cc0", items: [item] };
    expect(await publish(db.sql, creator, bundle)).toMatchObject({
      version: 4,
      created: true,
      slug: first.slug,
    });
    expect(await publish(db.sql, creator, bundle)).toMatchObject({ version: 4, created: false });
    expect((await versions(first.asset_id)).map(({ version }) => version)).toEqual([1, 2, 3, 4]);
    const items =
      await db.sql`select version, position from hub_bundle_items where asset_id = ${first.asset_id}`;
    expect([...items]).toEqual([{ version: 4, position: 1 }]);
    const receipts = await db.sql`select version from hub_receipts where asset_id = ${first.asset_id}`;
    expect(receipts).toHaveLength(4);
  });

  test("many publications of one title at once: as many slugs", async () => {
    const users = await makeUsers(db.sql, LONG_TESTS ? 50 : 16);
    const done = await Promise.all(users.map((user) => publish(crowd, user, { slug: "wanted-by-all" })));
    const slugs = new Set(done.map(({ slug }) => slug));
    expect(slugs.size).toBe(users.length);
    for (let n = 2; n <= 9; n += 1) expect(slugs).toContain(`wanted-by-all-${n}`);
    for (const slug of slugs) expect(slug).toMatch(/^wanted-by-all(-[2-9]|-[0-9a-f]{8})?$/);
  });

  test("of a title that others have taken, only the free form is inserted", async () => {
    for (let taken = 0; taken < 3; taken += 1) await makeAsset(db.sql, { slug: "often-taken" });
    const creator = await makeUser(db.sql);
    // A trigger before each inserted row stores the row's slug, also if the row is in conflict with another one.
    await db.sql.unsafe(`
      create table public.tried (slug text);
      create function public.note_tried() returns trigger language plpgsql security definer as $$
      begin insert into public.tried values (new.slug); return new; end $$;
      create trigger note_tried before insert on hub_assets for each row execute function public.note_tried()`);
    expect((await makeAsset(db.sql, { creator, slug: "often-taken" })).slug).toBe("often-taken-4");
    expect(await db.sql`select slug from tried`).toEqual([{ slug: "often-taken-4" }]);
    await db.sql.unsafe("drop trigger note_tried on hub_assets; drop function note_tried; drop table tried");
  });

  test("slugs at the limit of 80 stay below it and well formed", async () => {
    const slug = `${"a".repeat(77)}-bb`;
    const made = [];
    for (let i = 0; i < 12; i += 1) made.push((await publish(db.sql, await makeUser(db.sql), { slug })).slug);
    expect(new Set(made).size).toBe(12);
    for (const each of made) {
      expect(each.length).toBeLessThanOrEqual(80);
      expect(each).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    }
  });

  test("the same item 20 times at once: one listing, one version", async () => {
    const creator = await makeUser(db.sql);
    const refId = await addSource(db.sql, creator);
    const done = await Promise.all(
      Array.from({ length: 20 }, () => publish(crowd, creator, { refId, slug: "once" })),
    );
    expect(new Set(done.map(({ asset_id, version }) => `${asset_id} ${version}`)).size).toBe(1);
    expect(done.filter(({ created }) => created)).toHaveLength(1);
  });

  test("somebody else's item, one that is gone, a paid license, no description", async () => {
    const [creator, other] = [await makeUser(db.sql), await makeUser(db.sql)];
    const refId = await addSource(db.sql, creator);
    const as = (user: string, what: object) =>
      attempt(operator(db), () => publish(db.sql, user, { refId, ...what }));
    expect(await as(other, {})).toEqual({ refused: "source_not_found" });
    expect(await as(creator, { refId: crypto.randomUUID() })).toEqual({ refused: "source_not_found" });
    expect(await as(creator, { license: "paid", price: 500, teaser: "A teaser" })).toEqual({
      refused: "payout_account_required",
    });
    for (const price of [0, 99, 100_001])
      expect(await as(creator, { license: "paid", price, teaser: "A teaser" })).toEqual({
        refused: "validation_failed",
      });
    expect(await as(creator, { description: " " })).toEqual({ refused: "validation_failed" });
  });

  test("deleted by its creator and published again: the same row and slug, the next version, no old star", async () => {
    const { id, creator, refId, slug } = await makeAsset(db.sql, { slug: "revived" });
    const before = await assetRow(db.sql, id);
    await star(signedIn(db, await makeUser(db.sql)), id);
    await call(signedIn(db, creator), "hub_delete_asset", id);
    expect(await versions(id)).toHaveLength(0);
    const again = await publish(db.sql, creator, { refId, slug: "other" });
    expect(again).toMatchObject({ asset_id: id, slug, version: 2 });
    expect(await assetRow(db.sql, id)).toMatchObject({ star_count: 0, published_at: before.published_at });
  });
});
