import type postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { makeUser } from "../../support/hub.ts";
import { LONG_TESTS } from "../../support/long-tests.ts";
import { addListings } from "../../support/search.ts";

/* Tests the rows that a page reads, in a hub that grows to four times its size after a session has planned its queries. */

let db: Clone;
let session: postgres.Sql;
let creator: string;
let username: string;
const FEW = LONG_TESTS ? 2500 : 1600;
beforeAll(async () => {
  db = await cloneDatabase();
  // One connection, which keeps its plans.
  session = db.as("anon", 1);
  creator = await makeUser(db.sql);
  username = (await db.sql`select username from hub_profiles where user_id = ${creator}`)[0]?.username;
  // After five calls Postgres keeps a plan for all values.
  await session.begin(async (tx) => {
    for (const call of Object.values(calls)) for (let i = 0; i < 7; i += 1) await call(tx);
  });
  await addListings(db.sql, creator, FEW, row, tags);
});
afterAll(() => db.drop());

/**
 * The words of listing i: "half" is in two of three listings, "some" in one of 16, "seldom" in one of 1,000. "morning" and
 * "evening" are each in one of four and together in one of 2,500; "dawn" and "dusk" each in about one of 30 and together in one of 500.
 * 480 more words begin with "own".
 */
const row = `'Common' || case when i % 3 > 0 then ' half' else '' end || case when i % 16 = 0 then ' some' else '' end
  || case when i % 1000 = 0 then ' seldom' else '' end || case when i % 4 = 3 or i % 2500 = 1 then ' morning' else '' end
  || case when i % 4 = 1 or i % 2500 = 1 then ' evening' else '' end || case when i % 30 = 11 or i % 500 = 1 then ' dawn' else '' end
  || case when i % 30 = 13 or i % 500 = 1 then ' dusk' else '' end || ' own' || md5((i % 480)::text)`;

const tags = `array['common', case when i % 2 = 1 then 'odd' else 'even' end]
  || case when i % 50 = 0 then array['some'] else '{}' end || case when i % 1000 = 0 then array['seldom'] else '{}' end`;

const calls: Record<string, (sql: postgres.TransactionSql) => Promise<unknown>> = {
  newest: (sql) => sql`select hub_search()`,
  "most starred": (sql) => sql`select hub_search(sort => 'most_starred')`,
  "a type": (sql) => sql`select hub_search(types => '{template}', sort => 'most_installed')`,
  "a creator": (sql) => sql`select hub_search(creator => ${username ?? ""})`,
  "a common tag": (sql) => sql`select hub_search(tags => '{common}', sort => 'most_starred')`,
  "a tag of some": (sql) => sql`select hub_search(tags => '{some}')`,
  "a rare tag": (sql) => sql`select hub_search(tags => '{seldom}', sort => 'recently_updated')`,
  "two tags that are seldom together": (sql) => sql`select hub_search(tags => '{common,seldom}')`,
  "two common tags of no one": (sql) => sql`select hub_search(tags => '{odd,even}')`,
  "a common word": (sql) => sql`select hub_search(q => 'common')`,
  "a common word, page 2": (sql) =>
    sql`select hub_search(q => 'common', cursor => hub_search(q => 'common') ->> 'next_cursor')`,
  "half of all": (sql) => sql`select hub_search(q => 'half ')`,
  "half of all, newest": (sql) => sql`select hub_search(q => 'half ', sort => 'newest')`,
  "two words": (sql) => sql`select hub_search(q => 'half some')`,
  "two words that are hardly ever together": (sql) => sql`select hub_search(q => 'morning evening')`,
  "some, by stars": (sql) => sql`select hub_search(q => 'some ', sort => 'most_starred')`,
  "one beginning": (sql) => sql`select hub_search(q => 'com')`,
  "a word of nobody": (sql) => sql`select hub_search(q => 'zzzzzz')`,
  "facets of all": (sql) => sql`select hub_search(q => 'common', facets => true)`,
};

const TABLES = ["hub_assets", "hub_documents", "hub_words", "hub_profiles", "hub_listing_tags"];

async function rowsRead(call: (sql: postgres.TransactionSql) => Promise<unknown>, tables = TABLES) {
  return session.begin(async (tx) => {
    const read = async () => {
      const [row] = await tx<{ whole: number; by_index: number }[]>`
        select sum(seq_tup_read)::int as whole, sum(idx_tup_fetch)::int as by_index
        from pg_stat_xact_user_tables where relname = any(${tables})`;
      return row ?? { whole: 0, by_index: 0 };
    };
    const before = await read();
    await call(tx);
    const after = await read();
    return { whole: after.whole - before.whole, byIndex: after.by_index - before.by_index };
  });
}

test("no page reads a table from end to end, or more for four times as many listings", async () => {
  const before: Record<string, number> = {};
  for (const [name, call] of Object.entries(calls)) {
    const { whole, byIndex } = await rowsRead(call);
    expect(whole, name).toBe(0);
    before[name] = byIndex;
  }
  await addListings(db.sql, creator, 3 * FEW, row, tags);
  for (const [name, call] of Object.entries(calls)) {
    const { whole, byIndex } = await rowsRead(call);
    expect(whole, name).toBe(0);
    // A search for two words reads up to 300, 1,000 and 3,000 of the most popular listings, until enough of these have both words.
    const most = name === "two words" ? 5000 : 2 * (before[name] ?? 0) + 1000;
    expect(byIndex, `${name}: ${before[name]} before`).toBeLessThan(most);
  }
});

test("words that are hardly ever together are not looked for in the order of popularity", async () => {
  const call = calls["two words that are hardly ever together"];
  const { byIndex } = await rowsRead(call as NonNullable<typeof call>, ["hub_documents"]);
  // The call reads the 3,000 most popular of the listings, to find out how common the words are. Of the others, it reads only those
  // that match.
  expect(byIndex).toBeLessThan(4 * FEW - 1000);
});

test.each(["dawn dusk", "half some"])(
  "%s: each listing once, those below the floor by popularity",
  async (q) => {
    await db.sql`update private.hub_documents set popularity = hashtext(asset_id::text) & 7`;
    const asked = db.sql`document @@ ${q.replace(" ", " & ")}::tsquery`;
    const held = await db.sql`select asset_id as id from private.hub_documents where ${asked}`;
    const found: string[] = [];
    let cursor: string | null = null;
    let floor: { popularity: number; id: string } | null = null;
    do {
      const rows: { id: string | null; next: string | null }[] = await db.sql`
      with p as materialized (select hub_search(${q}, cursor => ${cursor}, page_size => 5) as page)
      select i ->> 'id' as id, page ->> 'next_cursor' as next from p, json_array_elements(page -> 'items') i`;
      found.push(...rows.map(({ id }) => id ?? ""));
      cursor = rows[0]?.next ?? null;
      if (cursor !== null) floor = JSON.parse(Buffer.from(cursor, "base64url").toString()).floor;
    } while (cursor !== null);
    expect(held.length).toBeGreaterThan(9);
    expect(found.toSorted()).toEqual(held.map(({ id }) => id).sort());
    // If few listings match, all are ranked, and there is no floor. If many match, only the popular ones are ranked.
    expect(floor === null).toBe(q === "dawn dusk");
    if (floor === null) return;
    const below = await db.sql`
    select asset_id as id from private.hub_documents where ${asked} and (popularity, asset_id) < (${floor.popularity}, ${floor.id})
    order by popularity desc, asset_id desc`;
    expect(below.length).toBeGreaterThan(100);
    expect(found.slice(-below.length)).toEqual(below.map(({ id }) => id));
  },
);

test("a beginning of few words is asked for by their names, and finds the same", async () => {
  const matches = async (q: string) => (await db.sql`select (private.search_plan(${q})).matches as m`)[0]?.m;
  expect(await matches("seld")).toBe("'seld' | 'seldom' | '~seld':*");
  expect(await matches("owna")).toBe("'owna' | 'owna':* | '~owna':*");
  for (const q of ["seld", "seldom", "owna0", "ownf1", "own45", "ownc4c"]) {
    const found = await db.sql`
      select i ->> 'id' as id from json_array_elements(hub_search(${q}, page_size => 100) -> 'items') i order by 1`;
    const held = await db.sql`
      select asset_id as id from private.hub_documents where document @@ ${`'${q}':*`}::tsquery order by 1`;
    expect(held.length, q).toBeGreaterThan(0);
    expect(found, q).toEqual(held);
  }
});

test("a listing that cannot have all tags of a search is not read", async () => {
  const call = calls["two common tags of no one"];
  const { byIndex } = await rowsRead(call as NonNullable<typeof call>, ["hub_assets"]);
  expect(byIndex).toBe(0);
});

test("no index of words has a list of pending entries, of which every search would read all", async () => {
  const indexes = await db.sql<{ name: string; options: string[] | null }[]>`
    select c.relname as name, c.reloptions as options
    from pg_class c join pg_am m on m.oid = c.relam
    where m.amname = 'gin' and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)`;
  expect(indexes.length).toBeGreaterThan(1);
  for (const { name, options } of indexes) expect(options ?? [], name).toContain("fastupdate=off");
});

test("what is rare below the floor is found behind a long stretch without it", async () => {
  const of = db.sql`document @@ 'morning'`;
  await db.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into private.hub_documents
      select gen_random_uuid(), 8, 'filler', 'filler' from generate_series(1, 24000)`;
    await tx`
      update private.hub_documents set popularity = 9
      where asset_id in (select asset_id from private.hub_documents where ${of} limit 40)`;
  });
  const found = new Set<string>();
  let cursor: string | null = null;
  do {
    const rows: { id: string; next: string | null }[] = await db.sql`
      with p as materialized (select hub_search('morning ', cursor => ${cursor}, page_size => 100) as page)
      select i ->> 'id' as id, page ->> 'next_cursor' as next from p, json_array_elements(page -> 'items') i`;
    for (const { id } of rows) found.add(id);
    cursor = rows[0]?.next ?? null;
  } while (cursor !== null);
  const held = await db.sql`select asset_id as id from private.hub_documents where ${of}`;
  expect(held.length).toBeGreaterThan(200);
  expect([...found].sort()).toEqual(held.map(({ id }) => id).sort());
});
