import { afterAll, beforeAll, expect, test } from "vitest";
import { type Actor, anon, anonymousSession, attempt, refusalOf, signedIn } from "../../support/actors.ts";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import {
  assetRow,
  call,
  closeHistory,
  importAsset,
  makeAdmin,
  makeUser,
  planImport,
  publish,
  runImport,
  sha256,
} from "../../support/hub.ts";
import { buy, checkout, makePaid, makeSeller, tell } from "../../support/payments.ts";

let db: Clone;
beforeAll(async () => {
  db = await cloneDatabase();
});
afterAll(() => db.drop());

const FREE = "what was free before ";
const PAID = "what buyers read ";

/** Makes a listing that was free and is now sold. It is a kit, so that the tests also look for its items. */
async function sold() {
  const item = (content: string) => ({
    ...{ asset_type: "template", ref_id: crypto.randomUUID(), title: content, license: "cc-by" },
    ...{ payload: { content }, sha256: sha256({ content }) },
  });
  const creator = await makeSeller(db.sql);
  const of = crypto.randomUUID();
  const kit = (content: string) => ({
    ...{ type: "orchestration" as const, slug: "sold", payload: { nodes: [], edges: [], note: content } },
    items: [item(content)],
  });
  const { refId, asset_id: id } = await publish(db.sql, creator, { ...kit(FREE + of), license: "cc-by" });
  await publish(db.sql, creator, {
    ...kit(PAID + of),
    refId,
    license: "paid",
    price: 500,
    teaser: "A teaser",
  });
  words.set(id, of);
  return { id, creator, refId };
}

/** For each listing, by its id: a word that no other listing contains. */
const words = new Map<string, string>();

/** Returns everything that somebody can read of a listing by the tables and calls that clients reach. */
async function seenBy(who: Actor, id: string): Promise<string> {
  const statements = [
    "select * from hub_assets",
    "select * from hub_listings",
    "select * from hub_asset_versions",
    "select * from hub_bundle_items",
    "select hub_search(page_size => 100)",
    "select hub_trending()",
    `select hub_versions('${id}')`,
    `select hub_asset('${id}')`,
    `select hub_asset('${id}', 1)`,
    `select hub_asset('${id}', 2)`,
    `select hub_remixes('${id}')`,
    "select hub_updates()",
    "select hub_my_purchases()",
  ];
  const seen: unknown[] = [];
  for (const statement of statements) seen.push(await attempt(who, (tx) => tx.unsafe(statement)));
  return JSON.stringify(seen);
}

const sees = async (who: Actor, id: string) => {
  const text = await seenBy(who, id);
  const said = (what: string) => text.includes(what + words.get(id));
  return { free: said(FREE), paid: said(PAID), hash: text.includes(await hashOf(id)) };
};

const hashOf = async (id: string) =>
  (await db.sql`select sha256 from hub_asset_versions where asset_id = ${id} and version = 2`)[0]?.sha256;

test("what is sold is nowhere for who has not bought it; what was free stays free", async () => {
  const { id, creator } = await sold();
  const [buyer, refunded, disputed, member] = await Promise.all([1, 2, 3, 4].map(() => makeUser(db.sql)));
  const admin = await makeAdmin(db.sql);
  await buy(db.sql, buyer ?? "", id);
  const { order_id: orderId } = await buy(db.sql, refunded ?? "", id);
  await tell(db.sql, { kind: "refunded", orderId, objectId: "re", amount: 500 });
  const other = await buy(db.sql, disputed ?? "", id);
  await tell(db.sql, { kind: "disputed", orderId: other.order_id, objectId: "dp", amount: 500 });
  const open = await makeUser(db.sql);
  await checkout(db.sql, open, id);

  const all = { free: true, paid: true, hash: true };
  for (const [name, who] of Object.entries({ creator, buyer, admin }))
    expect(await sees(signedIn(db, who ?? ""), id), name).toEqual(all);
  const outside = { free: true, paid: false, hash: false };
  for (const [name, who] of Object.entries({ refunded, disputed, member, open }))
    expect(await sees(signedIn(db, who ?? ""), id), name).toEqual(outside);
  expect(await sees(anon(db), id), "anon").toEqual(outside);
  expect(await sees(anonymousSession(db, member ?? ""), id), "anonymous session").toEqual(outside);
});

test("everybody reads the card with its price, the teaser, and that the content is for buyers", async () => {
  const { id } = await sold();
  expect(await call(anon(db), "hub_asset", id)).toMatchObject({
    rows: [
      {
        hub_asset: {
          ...{ license: "paid", price_cents: 500, currency: "USD", teaser: "A teaser", readable: false },
          ...{ payload: null, version: null, current_version: 2, items: [] },
        },
      },
    ],
  });
  const versions = await attempt(anon(db), (tx) => tx`select hub_versions(${id}) as v`);
  expect("rows" in versions && versions.rows[0]?.v).toMatchObject([
    { version: 2, license: "paid", readable: false, sha256: null },
    { version: 1, license: "cc-by", readable: true },
  ]);
});

test("a paid version is imported by buyers only, who count as installs; the copies of a refunded buyer stay, without updates", async () => {
  const { id, creator, refId } = await sold();
  const buyer = await makeUser(db.sql);
  const take = async (who: string) =>
    runImport(db.sql, who, await planImport(db.sql, id)).then(
      () => "imported",
      (error) => refusalOf(error),
    );
  expect(await take(buyer)).toBe("purchase_required");
  const { order_id: orderId } = await buy(db.sql, buyer, id);
  expect((await assetRow(db.sql, id)).install_count).toBe(0);
  expect(await take(buyer)).toBe("imported");
  expect((await assetRow(db.sql, id)).install_count).toBe(1);
  expect(await take(creator)).toBe("imported");
  await publish(db.sql, creator, {
    ...{ type: "orchestration", refId, license: "paid", price: 500, teaser: "A teaser" },
    payload: { nodes: [], more: 1 },
  });
  const updates = async () => {
    const answer = await attempt(signedIn(db, buyer), (tx) => tx`select hub_updates() as updates`);
    return "rows" in answer ? answer.rows[0]?.updates.map(({ kind }: { kind: string }) => kind) : answer;
  };
  expect(await updates()).toContain("newer_version");
  await tell(db.sql, { kind: "refunded", orderId, objectId: "re", amount: 500 });
  expect(await updates()).toEqual([]);
  expect(await take(buyer)).toBe("purchase_required");
  const copies = await db.sql`select from orchestrator_configs where user_id = ${buyer}`;
  expect(copies.length).toBe(1);
});

test("a listing with buyers that its creator unpublishes or deletes leaves the shelf; buyers read and import it still", async () => {
  for (const taken of ["hub_unpublish_asset", "hub_delete_asset"]) {
    const { id, creator } = await sold();
    const [buyer, member] = [await makeUser(db.sql), await makeUser(db.sql)];
    await buy(db.sql, buyer, id);
    expect(await call(signedIn(db, creator), taken, id)).toHaveProperty("rows");
    expect(await assetRow(db.sql, id)).toMatchObject({ is_public: false, deleted_at: null });
    expect((await sees(signedIn(db, buyer), id)).paid, taken).toBe(true);
    expect((await sees(signedIn(db, member), id)).paid, taken).toBe(false);
    await importAsset(db.sql, buyer, id);
    await expect(importAsset(db.sql, member, id)).rejects.toThrow("asset_not_found");
  }
});

test("a listing whose buyers have their money back is deleted whole", async () => {
  const { id, creator } = await sold();
  const { order_id: orderId } = await buy(db.sql, await makeUser(db.sql), id);
  await tell(db.sql, { kind: "refunded", orderId, objectId: "re", amount: 500 });
  await call(signedIn(db, creator), "hub_delete_asset", id);
  expect((await assetRow(db.sql, id)).deleted_at).not.toBeNull();
});

test("what moderation hides it hides from buyers, too, until it is restored", async () => {
  const { id } = await sold();
  const buyer = await makeUser(db.sql);
  await buy(db.sql, buyer, id);
  await db.sql`update hub_assets set is_hidden = true where id = ${id}`;
  expect((await sees(signedIn(db, buyer), id)).paid).toBe(false);
  await db.sql`update hub_assets set is_hidden = false where id = ${id}`;
  expect((await sees(signedIn(db, buyer), id)).paid).toBe(true);
});

test("a ban of the creator takes the listing from the shelf, and nothing from its buyers", async () => {
  const { id, creator } = await sold();
  const buyer = await makeUser(db.sql);
  await buy(db.sql, buyer, id);
  await db.sql`insert into private.hub_bans (user_id) values (${creator})`;
  expect((await sees(signedIn(db, buyer), id)).paid).toBe(true);
  expect((await sees(anon(db), id)).paid).toBe(false);
});

test("a yank changes no free listing into a paid one, nor back", async () => {
  const { id, creator, refId } = await sold();
  const yank = (version: string, name = "hub_yank_version") =>
    attempt(signedIn(db, creator), (tx) => tx`select ${tx.unsafe(name)}(${id}, ${version})`);
  expect(await yank("2")).toEqual({ refused: "last_version" });
  const next = (of: number, offer: Parameters<typeof publish>[2]) =>
    publish(db.sql, creator, { type: "orchestration", refId, payload: { nodes: [], of }, ...offer });
  await next(3, { license: "paid", price: 1000, teaser: "The third one." });
  await yank("3");
  expect(await assetRow(db.sql, id)).toMatchObject({ current_version: 2, license: "paid" });
  await next(4, { license: "cc-by" });
  await yank("4");
  expect(await assetRow(db.sql, id)).toMatchObject({ current_version: 1, license: "cc-by" });
  await yank("3", "hub_unyank_version");
  expect(await assetRow(db.sql, id)).toMatchObject({ current_version: 1, license: "cc-by", price_cents: 0 });
});

test("older versions that were closed are buyers' of what is paid, and nobody else's", async () => {
  const { id, creator, refId } = await sold();
  const buyer = await makeUser(db.sql);
  await buy(db.sql, buyer, id);
  await publish(db.sql, creator, {
    type: "orchestration",
    refId,
    license: "cc-by",
    payload: { nodes: [], of: 3 },
  });
  await closeHistory(db.sql, id);
  expect(await sees(signedIn(db, buyer), id)).toMatchObject({ paid: true, free: false });
  expect(await sees(signedIn(db, await makeUser(db.sql)), id)).toMatchObject({ paid: false, free: false });
});

test("a listing that somebody sells has a price, a currency and a teaser, also by hand", async () => {
  const { id } = await makePaid(db.sql);
  for (const change of [
    { price_cents: 0 },
    { price_cents: 99 },
    { price_cents: 100_001 },
    { teaser: null },
    { teaser: "x".repeat(2001) },
    { currency: null },
    { license: "cc0" },
  ] as Record<string, unknown>[])
    await expect(
      db.sql`update hub_assets set ${db.sql(change as never)} where id = ${id}`,
      JSON.stringify(change),
    ).rejects.toThrow(/violates check constraint/);
});
