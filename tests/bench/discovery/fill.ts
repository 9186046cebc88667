import { once } from "node:events";
import type postgres from "postgres";
import { assetId } from "./numbers.ts";
import { progressBar } from "./progress.ts";
import { ASSET_COLUMNS, actLine, assetLine, creatorLine, type Plan, planHub } from "./rows.ts";
import { COMMON_WORD } from "./vocabulary.ts";

const BATCH = 2000;

/**
 * Fills an empty hub. For speed, it inserts rows by COPY without triggers, and makes the indexes when all rows are there. It then calls the
 * functions of the triggers, which make the rows that search reads.
 */
export async function fillHub(workers: postgres.Sql[], assets: number): Promise<void> {
  const [sql] = workers;
  if (sql === undefined) throw new Error("no worker");
  const plan = planHub(assets);
  for (const worker of workers) {
    await worker`set session_replication_role = replica`;
    await worker`set synchronous_commit = off`;
    await worker`set maintenance_work_mem = '1GB'`;
  }
  const indexes = await dropIndexes(sql);
  await addCreators(sql, plan);
  await inBatches(workers, "assets", assets, (worker, from, to) => addAssets(worker, plan, from, to));
  await addWords(workers, plan);
  await addActs(sql, plan);
  const bar = progressBar("indexes", indexes.length);
  let made = 0;
  await inTurns(workers, indexes, async (worker, index) => {
    await worker.unsafe(index);
    bar(++made);
  });
  // session_replication_role has no effect on VACUUM, so it is reset only afterwards.
  await sql`vacuum (analyze, parallel 0)`;
  for (const worker of workers) await worker`reset session_replication_role`;
}

/** Drops the indexes that no constraint needs; returns the statements that make them again, the largest first. */
async function dropIndexes(sql: postgres.Sql): Promise<string[]> {
  const found = await sql<{ name: string; definition: string }[]>`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
    from pg_index i
    where i.indrelid in ('public.hub_assets'::regclass, 'private.hub_documents'::regclass, 'private.hub_words'::regclass,
        'private.hub_listing_tags'::regclass, 'public.hub_stars'::regclass, 'public.hub_imports'::regclass)
      and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
    order by pg_get_indexdef(i.indexrelid) like '%USING gin%' desc, i.indrelid::regclass::text desc`;
  for (const { name } of found) await sql.unsafe(`drop index ${name}`);
  return found.map(({ definition }) => definition);
}

async function addCreators(sql: postgres.Sql, plan: Plan): Promise<void> {
  await sql`create temporary table creators (user_id uuid, username text)`;
  await copy(sql, "creators (user_id, username)", plan.creators, creatorLine);
  await sql`insert into auth.users (id, created_at) select user_id, now() - interval '2 years' from creators`;
  await sql`insert into hub_profiles (user_id, username) select user_id, username from creators on conflict do nothing`;
}

async function addAssets(sql: postgres.Sql, plan: Plan, from: number, to: number): Promise<void> {
  await copy(sql, `hub_assets (${ASSET_COLUMNS})`, to - from, (i) => assetLine(plan, from + i));
  const ids = Array.from({ length: to - from }, (_, i) => assetId(from + i));
  await sql`
    insert into private.hub_listing_tags (asset_id, tag, published_at, content_updated_at, install_count, star_count, tag_bits)
    select a.id, t.tag, a.published_at, a.content_updated_at, a.install_count, a.star_count, private.tag_bits(a.tags)
    from hub_assets a cross join lateral unnest(a.tags) t (tag) where a.id = any(${ids}) and a.is_visible`;
  await sql`
    insert into private.hub_documents
    select d.* from hub_assets a cross join lateral private.make_document(a) d where a.id = any(${ids}) and a.is_visible`;
}

async function addWords(workers: postgres.Sql[], plan: Plan): Promise<void> {
  const used = plan.words.filter((_, rank) => plan.isUsed[rank] === 1);
  const texts = [...used, ...plan.tags, COMMON_WORD];
  await inBatches(workers, "words", texts.length, async (sql, from, to) => {
    await sql`
      insert into private.hub_words (word, slips)
      select w.word, private.slips(w.word)
      from (
        select distinct l.lexeme as word from unnest(${texts.slice(from, to)}::text[]) t (text)
        cross join lateral unnest(tsvector_to_array(private.lexemes(t.text, 'A', 0, 100)::tsvector)) l (lexeme)
        where l.lexeme ~ '^[^=~].{2}'
      ) w`;
  });
}

/** Adds about as many stars and imports as there are assets. By Zipf's law, a few popular assets get most of them. */
async function addActs(sql: postgres.Sql, plan: Plan): Promise<void> {
  await sql`create temporary table acts (asset_id uuid, user_id uuid, at timestamptz)`;
  for (const kind of [3, 4] as const) {
    await sql`truncate acts`;
    await copy(sql, "acts", plan.assets, (i) => actLine(plan, kind, i));
    await (kind === 3
      ? sql`insert into hub_stars (asset_id, user_id, starred_at) select distinct on (asset_id, user_id) * from acts`
      : sql`insert into hub_imports (asset_id, user_id, created_at, version, mode, counts)
          select distinct on (asset_id, user_id) asset_id, user_id, at, 1, 'use', true from acts`);
  }
}

async function copy(
  sql: postgres.Sql,
  into: string,
  count: number,
  line: (i: number) => string,
): Promise<void> {
  const stream = await sql.unsafe(`copy ${into} from stdin`).writable();
  for (let from = 0; from < count; from += BATCH) {
    const lines = Array.from({ length: Math.min(BATCH, count - from) }, (_, i) => `${line(from + i)}\n`);
    if (!stream.write(lines.join(""))) await once(stream, "drain");
  }
  const finished = once(stream, "finish");
  stream.end();
  await finished;
}

async function inBatches(
  workers: postgres.Sql[],
  name: string,
  total: number,
  work: (sql: postgres.Sql, from: number, to: number) => Promise<void>,
): Promise<void> {
  const bar = progressBar(name, total);
  const starts = Array.from({ length: Math.ceil(total / BATCH) }, (_, i) => i * BATCH);
  let done = 0;
  await inTurns(workers, starts, async (sql, from) => {
    const to = Math.min(total, from + BATCH);
    await work(sql, from, to);
    done += to - from;
    bar(done);
  });
}

/** Distributes a list over the workers: each worker takes the next item when it has finished one. */
async function inTurns<T>(
  workers: postgres.Sql[],
  list: T[],
  work: (sql: postgres.Sql, item: T) => Promise<void>,
): Promise<void> {
  const rest = list.values();
  await Promise.all(
    workers.map(async (sql) => {
      for (const item of rest) await work(sql, item);
    }),
  );
}
