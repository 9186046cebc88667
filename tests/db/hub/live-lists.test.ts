import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { makeUser } from "../../support/hub.ts";
import { addListings } from "../../support/search.ts";

/* Tests trending and categories without a scheduler that keeps a snapshot: the work is bounded, and the lists are exact in a small hub. */

let db: Clone;
const LISTINGS = 600;
beforeAll(async () => {
  db = await cloneDatabase();
  const creator = await makeUser(db.sql);
  await addListings(db.sql, creator, LISTINGS);
  await db.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      update hub_assets set published_at = now() - interval '1 day',
        tags = case when id in (select id from hub_assets order by md5(id::text) limit ${LISTINGS / 2}) then '{legal}'::text[] else '{qa}' end`;
    await tx`delete from private.hub_listing_tags`;
    await tx`
      insert into private.hub_listing_tags (asset_id, tag, published_at, install_count, star_count, tag_bits)
      select id, tags[1], published_at, 0, 0, private.tag_bits(tags) from hub_assets`;
    await tx`insert into auth.users (id) select gen_random_uuid() from generate_series(1, 5)`;
    // All users star all assets; in the last hour only the first ten assets are starred.
    await tx`
      insert into hub_stars (asset_id, user_id, starred_at)
      select a.id, u.id, now() - case when a.n <= 10 then interval '1 hour' else interval '2 days' end
      from (select id, row_number() over (order by id) as n from hub_assets) a cross join auth.users u where u.id <> ${creator}`;
  });
  await db.sql`analyze hub_assets, private.hub_listing_tags`;
});
afterAll(() => db.drop());

async function rowsRead(call: string): Promise<number> {
  return db.sql.begin(async (tx) => {
    const read = async () => {
      const [row] = await tx<{ rows: number }[]>`
        select sum(seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname in ('hub_assets', 'hub_stars', 'hub_imports', 'hub_listing_tags')`;
      return row?.rows ?? 0;
    };
    const before = await read();
    await tx.unsafe(call);
    return (await read()) - before;
  });
}

test("categories are counted where there are few, and estimated from a sample where there are many", async () => {
  const legal = async (most: number) => {
    const [row] = await db.sql<{ count: number }[]>`
      select (c ->> 'count')::int as count from jsonb_array_elements(private.estimate_categories(${most})) c where c ->> 'tag' = 'legal'`;
    return row?.count ?? 0;
  };
  expect(await legal(LISTINGS + 1)).toBe(LISTINGS / 2);
  // The estimate is three times the count of `legal` in a sample of 200 of 600 tags. Six of its standard deviations (17.3) are 104, so 106
  // is practically never reached.
  expect(Math.abs((await legal(200)) - LISTINGS / 2)).toBeLessThan(106);
  expect(await rowsRead("select private.estimate_categories(200)")).toBeLessThan(300);
});

test("trending looks at so many acts of each kind", async () => {
  const [row] = await db.sql<{ few: string[]; all: string[]; latest: string[] }[]>`
    select private.count_trending(50) as few, private.count_trending(null) as all,
      (select array_agg(id::text) from (select id from hub_assets order by id limit 10) a) as latest`;
  // The first places hold at most two listings of one creator, and here one creator has all listings.
  expect(row?.all).toHaveLength(2);
  expect(row?.latest).toEqual(expect.arrayContaining(row?.few ?? []));
  expect(await rowsRead("select private.count_trending(50)")).toBeLessThan(500);
  expect(await rowsRead("select private.count_trending(null)")).toBeGreaterThan(3000);
});
