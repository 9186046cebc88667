import type postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clone, cloneDatabase } from "../../support/database.ts";
import { makeAsset, makeUser } from "../../support/hub.ts";

/* Tests hub_remixes for a root with many remixes: the rows that a page reads, and that the pages together are the whole list. */

let db: Clone;
let guest: postgres.Sql;
let member: postgres.Sql;
let root: string;
beforeAll(async () => {
  db = await cloneDatabase();
  root = (await makeAsset(db.sql)).id;
  // Each role has one connection, which keeps its plans; the plans are made here, while there are no rows.
  guest = db.as("anon", 1);
  member = db.as("authenticated", 1);
  await member`select set_config('request.jwt.claims', ${JSON.stringify({ sub: await makeUser(db.sql) })}, false)`;
  for (const sql of [guest, member]) for (let i = 0; i < 7; i += 1) await page(sql);
  await addRemixes(300);
});
afterAll(() => db.drop());

interface Remix {
  id: string;
  direct: boolean;
  parent_asset_id: string;
}

async function page(sql: postgres.Sql | postgres.TransactionSql, cursor: string | null = null) {
  const [row] = await sql<{ page: { items: Remix[]; next_cursor: string | null } }[]>`
    select hub_remixes(${root}, ${cursor}) as page`;
  if (row === undefined) throw new Error("no row came back");
  return row.page;
}

/** Adds `count` remixes of the root, half of them through another remix. One tenth is hidden, and many have the same time. */
async function addRemixes(count: number): Promise<void> {
  const creator = await makeUser(db.sql);
  await db.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      with made as (select i, gen_random_uuid() as id from generate_series(1, ${count}::int) i)
      insert into hub_assets (id, asset_type, ref_id, creator_id, slug, title, is_public, current_version, published_at,
        content_updated_at, is_hidden, hidden_at, hidden_reason, source_asset_id, parent_asset_id, remix_depth)
      select m.id, 'template', gen_random_uuid(), ${creator}, 'remix-' || m.id, 'A remix', true, 1, at, at,
        m.i % 10 = 0, case when m.i % 10 = 0 then at end, case when m.i % 10 = 0 then 'moderator' end,
        ${root}, case when m.i % 2 = 1 then ${root}::uuid else p.id end, 1
      from made m
      left join made p on p.i = m.i - 1
      cross join lateral (select timestamptz '2026-01-01' + interval '1 minute' * (m.i % 40) as at) t`;
  });
  await db.sql`analyze hub_assets`;
}

async function rowsRead(sql: postgres.Sql, cursor: string | null) {
  return sql.begin(async (tx) => {
    const read = async () => {
      const [row] = await tx<{ rows: number }[]>`
        select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'hub_assets'`;
      return row?.rows ?? 0;
    };
    const before = await read();
    await page(tx, cursor);
    return (await read()) - before;
  });
}

test("the pages are the list: direct ones first, then newest first, visible ones only", async () => {
  const expected = await db.sql<{ id: string; direct: boolean; parent: string }[]>`
    select id, parent_asset_id = ${root} as direct, parent_asset_id as parent
    from hub_assets where is_visible and (source_asset_id = ${root} or parent_asset_id = ${root})
    order by 2 desc, published_at desc, id desc`;
  for (const sql of [guest, member]) {
    const seen: Remix[] = [];
    let cursor: string | null = null;
    for (let pages = 0; pages < 30; pages += 1) {
      const { items, next_cursor } = await page(sql, cursor);
      seen.push(...items);
      cursor = next_cursor;
      if (cursor === null) break;
      expect(items).toHaveLength(24);
    }
    expect(seen.map(({ id, direct, parent_asset_id: parent }) => ({ id, direct, parent }))).toEqual([
      ...expected,
    ]);
  }
});

test("a page reads no more rows of a root with ten times as many remixes", async () => {
  await addRemixes(3000);
  for (const sql of [guest, member]) {
    let cursor: string | null = null;
    // Direct remixes end on the 55th page; the 100th page is deep in the remixes of remixes.
    for (let number = 1; number <= 100; number += 1) {
      if ([1, 2, 50, 55, 56, 100].includes(number)) {
        expect(await rowsRead(sql, cursor), `page ${number}`).toBeLessThan(200);
      }
      cursor = (await page(sql, cursor)).next_cursor;
    }
    expect(cursor).not.toBeNull();
  }
});
