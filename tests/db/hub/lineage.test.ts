import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attempt, operator, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  assetRow,
  call,
  importAsset,
  makeAdmin,
  makeAsset,
  makeUser,
  publish,
  star,
  stateOf,
} from "../../support/hub.ts";

let db: Clone;
let admin: string;
beforeAll(async () => {
  db = await cloneDatabase();
  admin = await makeAdmin(db.sql);
});
afterAll(() => db.drop());

const versions = (id: string) =>
  db.sql`select * from hub_asset_versions where asset_id = ${id} order by version`;

/** Makes A → B → C → D, each a published remix of the one before. */
async function chain() {
  const made = [await makeAsset(db.sql, { slug: "chain" })];
  for (let i = 0; i < 3; i += 1) {
    const creator = await makeUser(db.sql);
    const copy = await importAsset(db.sql, creator, made[i]?.id ?? "", "remix");
    const { slug } = await publish(db.sql, creator, { refId: copy.refId, slug: "chain" });
    made.push({ id: copy.id, creator, refId: copy.refId, slug });
  }
  const [a, b, c, d] = made;
  if (!a || !b || !c || !d) throw new Error("unreachable");
  return { a, b, c, d };
}

describe("a chain of remixes", () => {
  test("the root is A for all, depth 0 to 3, the parent the one before", async () => {
    const { a, b, c, d } = await chain();
    const rows = await Promise.all([a, b, c, d].map(({ id }) => assetRow(db.sql, id)));
    expect(rows.map((row) => [row.source_asset_id, row.parent_asset_id, row.remix_depth])).toEqual([
      [null, null, 0],
      [a.id, a.id, 1],
      [a.id, b.id, 2],
      [a.id, c.id, 3],
    ]);
  });

  test("B's listing deleted by its creator: the ids stay, C and D work", async () => {
    const { b, c, d } = await chain();
    await call(signedIn(db, b.creator), "hub_delete_asset", b.id);
    expect(await assetRow(db.sql, c.id)).toMatchObject({ parent_asset_id: b.id, is_visible: true });
    expect(await stateOf(db.sql, d.id)).toBe("public");
  });

  test("A's row really deleted: ids are null, the attribution still names it", async () => {
    const { a, b, c } = await chain();
    await db.sql`delete from hub_assets where id = ${a.id}`;
    expect(await assetRow(db.sql, b.id)).toMatchObject({
      source_asset_id: null,
      parent_asset_id: null,
      remix_depth: 1,
      is_visible: true,
      attribution: { root: { id: a.id, title: "A greeting" }, parent: { id: a.id, slug: a.slug } },
    });
    expect(await assetRow(db.sql, c.id)).toMatchObject({ source_asset_id: null, parent_asset_id: b.id });
    const copy = await importAsset(db.sql, await makeUser(db.sql), b.id, "remix");
    // A deleted root stays null: B does not become the root.
    expect(await assetRow(db.sql, copy.id)).toMatchObject({
      source_asset_id: null,
      parent_asset_id: b.id,
      remix_depth: 2,
    });
  });

  test("A's author gone: the asset stays, without one", async () => {
    const { a, b } = await chain();
    await db.auth`delete from auth.users where id = ${a.creator}`;
    expect(await assetRow(db.sql, a.id)).toMatchObject({ creator_id: null, is_visible: true });
    expect(await stateOf(db.sql, b.id)).toBe("public");
  });

  test("use, then publish: a remix of what was imported, and then fixed", async () => {
    const { b } = await chain();
    const creator = await makeUser(db.sql);
    const copy = await importAsset(db.sql, creator, b.id, "use");
    expect(await assetRow(db.sql, copy.id)).toMatchObject({
      parent_asset_id: null,
      remix_depth: 0,
      is_public: false,
    });
    const { version } = await publish(db.sql, creator, { refId: copy.refId, slug: "used" });
    expect(version).toBe(1);
    expect(await assetRow(db.sql, copy.id)).toMatchObject({
      parent_asset_id: b.id,
      remix_depth: 2,
      slug: "used",
    });
  });

  test("use, the original erased, then publish: a remix of something that is gone", async () => {
    const { c } = await chain();
    const creator = await makeUser(db.sql);
    const copy = await importAsset(db.sql, creator, c.id, "use");
    await db.sql`delete from hub_assets where id = ${c.id}`;
    await publish(db.sql, creator, { refId: copy.refId, slug: "used" });
    expect(await assetRow(db.sql, copy.id)).toMatchObject({ parent_asset_id: null, remix_depth: 3 });
  });
});

describe("lineage is the server's", () => {
  test.each([
    ["attribution", "'{}'"],
    ["attribution", "null"],
    [
      "attribution",
      "attribution || jsonb_build_object('root', attribution->'parent', 'parent', attribution->'root')",
    ],
    ["source_asset_id", "gen_random_uuid()"],
    ["parent_asset_id", "(select id from hub_assets where remix_depth = 0 limit 1)"],
    ["remix_depth", "0"],
    ["ref_id", "gen_random_uuid()"],
    ["asset_type", "'component'"],
    ["id", "gen_random_uuid()"],
  ])("%s of a published remix cannot be set to %s, not even by an operator", async (column, value) => {
    const { c } = await chain();
    const outcome = await attempt(operator(db), (tx) =>
      tx.unsafe(`update hub_assets set ${column} = ${value} where id = $1`, [c.id]),
    );
    expect(outcome).toEqual({ refused: "asset_is_fixed" });
  });
});

test("the versions in an attribution may change, as an update of a copy does it; nobody is left out", async () => {
  const { b, d } = await chain();
  const set = (value: string) =>
    attempt(operator(db), (tx) =>
      tx.unsafe(`update hub_assets set attribution = ${value} where id = $1 returning id`, [d.id]),
    );
  expect((await assetRow(db.sql, d.id)).attribution).toMatchObject({ via: [{ id: b.id }] });
  expect(await set("attribution - 'via'")).toEqual({ refused: "asset_is_fixed" });
  expect(await set("jsonb_set(attribution, '{parent,version}', '2')")).toMatchObject({
    rows: [{ id: d.id }],
  });
});

describe("snapshots", () => {
  test("are never changed by any role, and deleted only with the listing", async () => {
    const { id } = await makeAsset(db.sql);
    for (const table of ["hub_asset_versions", "hub_receipts"]) {
      for (const statement of [
        `update ${table} set version = version + 1 where asset_id = '${id}'`,
        `delete from ${table} where asset_id = '${id}'`,
        `truncate ${table} cascade`,
      ]) {
        expect(await attempt(operator(db), (tx) => tx.unsafe(statement))).toEqual({ refused: "append_only" });
      }
    }
    await db.sql`delete from hub_assets where id = ${id}`;
    expect(await versions(id)).toHaveLength(0);
  });

  test("a removal takes versions, items, receipts and stars, keeps slug, reports and the remixes' ids", async () => {
    const { id, slug } = await makeAsset(db.sql, { slug: "to-be-removed" });
    const remixer = await makeUser(db.sql);
    const copy = await importAsset(db.sql, remixer, id, "remix");
    await db.sql`insert into hub_featured (asset_id) values (${id})`;
    await star(signedIn(db, remixer), id);
    await call(signedIn(db, admin), "hub_hide_asset", id, "Bad.");
    await call(signedIn(db, admin), "hub_remove_asset", id, null);
    expect(await assetRow(db.sql, id)).toMatchObject({
      slug,
      star_count: 0,
      install_count: 1,
      hidden_reason: "removed",
    });
    for (const table of ["hub_asset_versions", "hub_receipts", "hub_stars", "hub_featured"]) {
      expect(await db.sql`select from ${db.sql(table)} where asset_id = ${id}`).toHaveLength(0);
    }
    expect(await assetRow(db.sql, copy.id)).toMatchObject({ source_asset_id: id, parent_asset_id: id });
    const other = await publish(db.sql, await makeUser(db.sql), { slug: "to-be-removed" });
    expect(other.slug).toBe("to-be-removed-2");
  });
});
