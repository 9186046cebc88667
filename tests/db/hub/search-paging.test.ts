import { afterAll, beforeAll, expect, test } from "vitest";
import { anon } from "../../support/actors.ts";
import { cloneDatabase } from "../../support/database.ts";
import { makeUser } from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { addListings, type Search, search, walk } from "../../support/search.ts";

/*
 * Tests the pages of lists in which all sort keys are equal. The lists have more listings than a search ranks at once, and change while
 * somebody turns the pages.
 */

const db = await cloneDatabase();
afterAll(() => db.drop());
const guest = anon(db);
/** The number of listings with equal sort keys: more than the first 300, which a search of a common word ranks. */
const EQUAL = LONG_TESTS ? 3000 : 700;
/** After so many pages, the list changes. */
const CHANGE = LONG_TESTS ? 8 : 2;
const TAGS = "'{many,more}'";
let username = "";

beforeAll(async () => {
  const creator = await makeUser(db.sql);
  username = (await db.sql`select username from hub_profiles where user_id = ${creator}`)[0]?.username;
  await addListings(db.sql, creator, EQUAL, undefined, TAGS);
});

const standing = async () =>
  (
    await db.sql`select id from hub_assets where slug like 'bulk-%' and is_visible and title ~ '^Listing [0-9]'`
  ).map(({ id }) => id);

const lists: [string, Search][] = [
  ["newest", {}],
  ["recently updated", { sort: "recently_updated" }],
  ["most starred", { sort: "most_starred" }],
  ["most installed, of a type", { sort: "most_installed", types: ["template"] }],
  ...(LONG_TESTS ? [["of a tag", { tags: ["many"] }] satisfies [string, Search]] : []),
  [
    "of two tags and a type, most starred",
    { tags: ["more", "many"], types: ["template"], sort: "most_starred" },
  ],
  ["of a creator", { sort: "newest", creator: "" }],
  ["a word by relevance", { q: "listing" }],
  ["two words by relevance", { q: "one many" }],
  ["a word by date", { q: "listing", sort: "newest" }],
];

test.each(lists)("%s: nothing twice, nothing lost, while others come and go", async (_, what) => {
  const asked = { ...what, page_size: 100, ...(what.creator === undefined ? {} : { creator: username }) };
  const before = new Set(await standing());
  let turn = 0;
  const seen = await walk(guest, asked, async () => {
    turn += 1;
    if (turn % CHANGE !== 0) return;
    // Meanwhile other listings are published, and some are hidden.
    await addListings(db.sql, await makeUser(db.sql), 3, `'Listing of others ' || i`, TAGS);
    await db.sql`
      update hub_assets set is_hidden = true
      where id = (select id from hub_assets where slug like 'bulk-%' and is_visible order by md5(id::text || ${turn}::text) limit 1)`;
  });
  expect(new Set(seen).size).toBe(seen.length);
  const gone = [...before].filter((id) => !new Set(seen).has(id));
  const stillThere = new Set(await standing());
  expect(gone.filter((id) => stillThere.has(id))).toEqual([]);
});

test("pages of any size are parts of one list", async () => {
  for (const what of [{ q: "listing" }, { q: "listing 1" }, { sort: "most_starred" }] as Search[]) {
    const whole = (await search(guest, { ...what, page_size: 100 })).items.map(({ id }) => id);
    const first = await search(guest, { ...what, page_size: 33 });
    const second = await search(guest, { ...what, page_size: 33, cursor: first.next_cursor });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(whole.slice(0, 66));
  }
});

test("an exact title comes first, however unpopular, and also among hundreds of one title", async () => {
  const creator = await makeUser(db.sql);
  await addListings(db.sql, creator, 1, "'Listing one'");
  await db.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update hub_assets set star_count = 0, install_count = 0 where creator_id = ${creator}`;
    await tx`update private.hub_documents d set popularity = 0 from hub_assets a where a.id = d.asset_id and a.creator_id = ${creator}`;
  });
  for (const q of ["listing one", "LISTING  ONE", "Listing one ", "“Listing” one"])
    expect((await search(guest, { q, page_size: 1 })).items[0]?.title).toBe("Listing one");
  const count = LONG_TESTS ? 1200 : 500;
  await addListings(db.sql, await makeUser(db.sql), count, "'Of one title'");
  expect(new Set(await walk(guest, { q: "of one title", page_size: 100 })).size).toBe(count);
});

test("what is hidden is on no page after the hide was committed, facets included", async () => {
  const page = await search(guest, { q: "listing", page_size: 50 });
  const [hidden = ""] = page.items.map(({ id }) => id);
  await db.sql`update hub_assets set is_hidden = true where id = ${hidden}`;
  for (const what of lists.map(([, asked]) => asked).filter(({ creator }) => creator === undefined)) {
    const { items } = await search(guest, { ...what, page_size: 100, facets: true });
    expect(items.map(({ id }) => id)).not.toContain(hidden);
  }
});

test("listings with a date in the future, as an operator may write it, are walked as well", async () => {
  const creator = await makeUser(db.sql);
  await addListings(db.sql, creator, 6, "'Dated ' || i");
  const [{ username: name }] = (await db.sql`
    select username from hub_profiles where user_id = ${creator}`) as unknown as [{ username: string }];
  await db.sql`
    update hub_assets
    set published_at = (array['infinity', '9999-01-01', '2999-06-01'])[1 + abs(hashtext(slug)) % 3]::timestamptz,
      content_updated_at = 'infinity'
    where creator_id = ${creator}`;
  for (const sort of ["newest", "recently_updated"] as const) {
    const seen = await walk(guest, { sort, creator: name, page_size: 1 }, async () => {});
    expect(new Set(seen).size).toBe(6);
  }
});

test("a word of thousands of listings, none of them popular: the second page is full, too", async () => {
  await addListings(db.sql, await makeUser(db.sql), 210, "'Obscure ' || i");
  // With these documents, the word has ten more than a search ranks. They rank last, so they need no listing.
  await db.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into private.hub_documents
      select gen_random_uuid(), 0, repeat('filler ', 9), ${"'obscure':9"}::tsvector from generate_series(1, 4800)`;
    await tx`update private.hub_documents set popularity = 9 where not document @@ 'obscure'::tsquery`;
  });
  await db.sql`analyze private.hub_documents`;
  const asked = { q: "obscure", page_size: 100 };
  const { items, next_cursor } = await search(guest, asked);
  const second = await search(guest, { ...asked, cursor: next_cursor });
  expect(new Set([...items, ...second.items].map(({ id }) => id)).size).toBe(200);
});
