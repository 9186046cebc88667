import type postgres from "postgres";
import { importAsset, makeUser, publish } from "../support/hub.ts";
import { median, startCluster } from "./cluster.ts";
import { fillHub } from "./discovery-data.ts";

const ROUNDS = 25;

interface Listing {
  name: string;
  aim: number;
  run: (sql: postgres.Sql) => Promise<unknown>;
}

/** Discovery calls and what people ship instead, as ratios to reading the same 24 rows by primary key with row level security. */
function listings(cursors: Record<string, string>, rare: string): Listing[] {
  const search = (name: string, aim: number, what: Record<string, unknown>): Listing => ({
    name,
    aim,
    run: (sql) => sql`
      select hub_search(q => ${(what.q as string) ?? null}, types => ${(what.types as string[]) ?? null},
        tags => ${(what.tags as string[]) ?? null}, sort => ${(what.sort as string) ?? null},
        cursor => ${(what.cursor as string) ?? null})`,
  });
  return [
    search("newest", 5, {}),
    ...["most_starred", "most_installed", "recently_updated"].map((sort) => search(sort, 5, { sort })),
    search("newest, deep", 5, { cursor: cursors.newest }),
    search("most_starred, deep", 5, { sort: "most_starred", cursor: cursors.most_starred }),
    search("a type, by installs", 5, { types: ["template"], sort: "most_installed" }),
    search("a common tag", 5, { tags: ["education"] }),
    search("a rare tag", 10, { tags: ["topic-900"] }),
    search("a rare word", 10, { q: rare }),
    search("a word of 60 %, relevance", 60, { q: "assistant" }),
    search("a word of 60 %, newest", 10, { q: "assistant", sort: "newest" }),
    search("two words", 60, { q: "meeting notes" }),
    search("a prefix", 60, { q: "tra" }),
    search("a slip", 60, { q: "meetng" }),
    search("CJK", 60, { q: "翻訳" }),
    { name: "trending", aim: 10, run: (sql) => sql`select hub_trending()` },
    { name: "categories", aim: 10, run: (sql) => sql`select hub_categories()` },
    { name: "a creator", aim: 10, run: (sql) => sql`select hub_creator(${cursors.creator ?? ""})` },
    {
      name: "(ilike '%word%')",
      aim: 0,
      run: (sql) =>
        sql`select * from hub_listings where title ilike '%assistant%' or description ilike '%assistant%' order by star_count desc limit 24`,
    },
    {
      name: "(offset 5,000)",
      aim: 0,
      run: (sql) =>
        sql`select * from hub_assets where is_visible order by published_at desc, id desc limit 24 offset 5000`,
    },
    { name: "(count exact)", aim: 0, run: (sql) => sql`select count(*) from hub_assets where is_visible` },
    {
      name: "(ts_rank of a word of 60 %)",
      aim: 0,
      run: (sql) => sql`
        select id from hub_assets where is_visible and to_tsvector('simple', title || ' ' || description) @@ websearch_to_tsquery('simple', 'assistant')
        order by ts_rank(to_tsvector('simple', title || ' ' || description), websearch_to_tsquery('simple', 'assistant')) desc limit 24`,
    },
  ];
}

/** `npm run bench -- discovery`; BENCH_ASSETS (10,000) says of how many. */
export async function benchDiscovery(): Promise<void> {
  const assets = Number(process.env.BENCH_ASSETS ?? 10_000);
  const cluster = await startCluster({ maintenance_work_mem: "512MB", max_wal_size: "8GB" });
  try {
    const started = performance.now();
    await fillHub(await cluster.callers(2), assets, (done) => {
      if (done % 10_000 < 2000)
        process.stderr.write(
          `\r${done} of ${assets} assets, ${Math.round((performance.now() - started) / 1000)} s`,
        );
    });
    process.stderr.write(`\nmade in ${Math.round((performance.now() - started) / 1000)} s\n`);
    const { sql } = cluster;
    await sql`select hub_refresh_discovery()`;
    const [guest] = await cluster.callers(1);
    if (guest === undefined) throw new Error("no caller");
    await guest`set role anon`;

    const [found] = await sql<{ rare: string; creator: string }[]>`
      select (select w.word from private.hub_words w
          where (select count(*) from private.hub_documents d where d.document @@ quote_literal(w.word)::tsquery) between 1 and 5 limit 1) as rare,
        (select username from hub_profiles p where p.user_id = (select creator_id from hub_assets where is_visible
          group by creator_id having count(*) between 5 and 50 order by creator_id limit 1)) as creator`;
    const cursors: Record<string, string> = { creator: found?.creator ?? "" };
    for (const sort of ["newest", "most_starred"]) {
      let cursor: string | null = null;
      // A thousand pages of 24.
      for (let page = 0; page < Math.min(240, assets / 120); page += 1) {
        const [row]: { cursor: string | null }[] = await guest`
          select hub_search(sort => ${sort}, cursor => ${cursor}, page_size => 100) ->> 'next_cursor' as cursor`;
        cursor = row?.cursor ?? null;
        if (cursor === null) break;
      }
      if (cursor !== null) cursors[sort] = cursor;
    }
    const ids = (await sql`select id from hub_assets where is_visible order by md5(id::text) limit 24`).map(
      ({ id }) => id,
    );
    const floor = () => guest`
      select id, slug, asset_type, title, description, tags, thumbnail_url, license, install_count, star_count, published_at,
        content_updated_at, remix_depth from hub_assets where id = any(${ids})`;
    const timed = async (work: () => Promise<unknown>) => {
      const before = performance.now();
      await work();
      return performance.now() - before;
    };
    console.log(
      `${assets} assets; ratios to the same 24 rows by primary key, medians of ${ROUNDS} interleaved rounds`,
    );
    const table: Record<string, string | number>[] = [];
    for (const { name, aim, run } of listings(cursors, found?.rare ?? "nothing")) {
      const ratios: number[] = [];
      const times: number[] = [];
      const rounds = aim === 0 ? 5 : ROUNDS;
      for (let round = 0; round < rounds + 2; round += 1) {
        const reference = await timed(floor);
        const time = await timed(() => run(guest));
        if (round < 2) continue;
        ratios.push(time / reference);
        times.push(time);
      }
      const ratio = median(ratios);
      table.push({
        call: name,
        ms: median(times).toFixed(2),
        ratio: ratio.toFixed(1),
        aim: aim || "",
        "": aim === 0 ? "" : ratio <= aim ? "met" : "MISSED",
      });
    }
    console.table(table);

    // The price of it: what writers take. Compare two sizes.
    const writers: Record<string, string>[] = [];
    const author = await makeUser(sql);
    const reader = await makeUser(sql);
    const published: { asset_id: string }[] = [];
    const measured = async (name: string, work: (round: number) => Promise<unknown>) => {
      const times: number[] = [];
      for (let round = 0; round < 40; round += 1) times.push(await timed(() => work(round)));
      writers.push({ write: name, ms: median(times).toFixed(2) });
    };
    await measured("publish", async (round) => {
      published.push(
        await publish(sql, author, { title: `Of the bench ${round}`, slug: `of-the-bench-${round}` }),
      );
    });
    await measured(
      "star",
      (round) =>
        sql`insert into hub_stars (asset_id, user_id) values (${ids[round % 24] ?? ""}, ${round < 24 ? author : reader})`,
    );
    await sql`delete from hub_stars where user_id = ${author}`;
    await measured("import", (round) => importAsset(sql, reader, published[round]?.asset_id ?? ""));
    console.table(writers);
  } finally {
    await cluster.stop();
  }
}
