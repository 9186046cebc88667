import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type postgres from "postgres";
import { type Cluster, startCluster } from "../cluster.ts";
import { PAGED } from "./calls.ts";
import { fillHub } from "./fill.ts";
import { assetId } from "./numbers.ts";

/** A filled hub on a server with fsync, and the values for the measured queries. */
export interface Hub {
  assets: number;
  cluster: Cluster;
  /** One connection as anon. The calls of a hub use it again, so that Postgres keeps their plans. */
  guest: postgres.Sql;
  /** The process id of the server process behind `guest`. */
  guestPid: number;
  /** Ids of visible assets, spread over all assets. */
  ids: string[];
  /** An asset whose remixes are a tenth of all assets. */
  root: string;
  /** A word that finds one to ten listings. */
  rareWord: string;
  /** The rarest tag. */
  rareTag: string;
  creator: string;
  /**
   * Cursors by name: `newest`, `most_starred`, `most_installed` and `remixes` lead to the page after a thousand pages, or to the last page;
   * `<words> 2` and `<words> 5` lead to pages 2 and 5 of a search in PAGED.
   */
  cursors: Record<string, string | null>;
  stop(): Promise<void>;
}

const FAST = {
  ...{ fsync: "off", full_page_writes: "off", wal_level: "minimal", max_wal_senders: "0", autovacuum: "off" },
  ...{ shared_buffers: "1GB", max_wal_size: "16GB", checkpoint_timeout: "1h" },
};
const DURABLE = { shared_buffers: "2GB", max_wal_size: "8GB", checkpoint_timeout: "1h" };
/** The number of pages of 100 listings that are as long as a thousand pages of 24. */
const DEEP = 240;

/** Makes a hub with this number of assets, or opens the hub of an earlier run from the folder BENCH_DATA. */
export async function openHub(assets: number): Promise<Hub> {
  const { BENCH_DATA } = process.env;
  const folder = BENCH_DATA
    ? join(BENCH_DATA, `discovery-${assets}`)
    : await mkdtemp(join(tmpdir(), "keyhub-discovery-"));
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o755);
  const remove = async () => {
    if (!BENCH_DATA) await rm(folder, { recursive: true, force: true });
  };
  try {
    await makeHub(folder, assets);
    const cluster = await startCluster(DURABLE, folder);
    const stop = () => cluster.stop().then(remove);
    try {
      return { assets, cluster, ...(await lookAround(cluster, assets)), stop };
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Makes a hub with fsync off, which is faster. The server writes everything to disk when it stops. */
async function makeHub(folder: string, assets: number): Promise<void> {
  const cluster = await startCluster(FAST, folder);
  try {
    const { sql } = cluster;
    const [row] = await sql`select to_regclass('public.bench_made') is not null as made`;
    if (row?.made) return;
    const started = performance.now();
    await fillHub(await cluster.callers(2), assets);
    await sql`create table bench_made ()`;
    await sql`alter table bench_made enable row level security`;
    process.stderr.write(`${assets} assets made in ${Math.round((performance.now() - started) / 1000)} s\n`);
  } finally {
    await cluster.stop();
  }
}

async function lookAround(cluster: Cluster, assets: number) {
  const { sql } = cluster;
  await sql`select hub_refresh_discovery()`;
  const [guest] = await cluster.callers(1);
  if (guest === undefined) throw new Error("no caller");
  const [process] = await guest<{ pid: number }[]>`select pg_backend_pid() as pid`;
  await guest`set role anon`;
  const ids: string[] = [];
  for (let i = 0; ids.length < 24; i += 1) {
    const id = assetId(Math.floor(((i * 7919) % 10_007) * (assets / 10_007)));
    const [row] = await sql`select from hub_assets where id = ${id} and is_visible`;
    if (row !== undefined && !ids.includes(id)) ids.push(id);
  }
  const [found] = await sql<{ word: string; creator: string }[]>`
    select (
        select w.word from (select word from private.hub_words order by md5(word) limit 2000) w
        where char_length(w.word) >= 6
          and (select count(*) from private.hub_documents d where d.document @@ (private.search_plan(w.word)).matches) between 1 and 10 limit 1
      ) as word,
      (select p.username from hub_profiles p where p.user_id = (
        select a.creator_id from hub_assets a where a.is_visible group by a.creator_id having count(*) between 5 and 50 order by a.creator_id limit 1
      )) as creator`;
  const root = assetId(0);
  const cursors: Record<string, string | null> = {};
  for (const sort of ["newest", "most_starred", "most_installed"]) {
    cursors[sort] = await deepCursor(
      (cursor) => guest`
        select hub_search(sort => ${sort}, cursor => ${cursor}, page_size => 100) ->> 'next_cursor' as cursor`,
      DEEP,
    );
  }
  for (const q of Object.values(PAGED)) {
    for (const page of [2, 5]) {
      cursors[`${q} ${page}`] = await deepCursor(
        (cursor) => guest`select hub_search(${q}, cursor => ${cursor}) ->> 'next_cursor' as cursor`,
        page - 1,
      );
    }
  }
  cursors.remixes = await deepCursor(
    (cursor) => guest`select hub_remixes(${root}, ${cursor}) ->> 'next_cursor' as cursor`,
    1000,
  );
  return {
    guest,
    guestPid: process?.pid ?? 0,
    ids,
    root,
    rareWord: found?.word ?? "",
    rareTag: "topic-2999",
    creator: found?.creator ?? "",
    cursors,
  };
}

/** Returns the cursor after this number of pages, or the last cursor if there are fewer pages. */
async function deepCursor(
  next: (cursor: string | null) => Promise<{ cursor?: string | null }[]>,
  pages: number,
): Promise<string | null> {
  let cursor: string | null = null;
  for (let page = 0; page < pages; page += 1) {
    const [row] = await next(cursor);
    if (row?.cursor === null || row?.cursor === undefined) break;
    cursor = row.cursor;
  }
  return cursor;
}
