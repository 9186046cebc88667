import type postgres from "postgres";
import { makeUser } from "./keys.ts";

/** Listings with questions, and for each question the listings that should come first: 3 wanted, 2 good, 1 acceptable. */
export interface JudgedSet {
  assets: {
    id: string;
    type: string;
    title: string;
    description?: string;
    tags: string[];
    installs?: number;
    stars?: number;
  }[];
  queries: { q: string; kind: string; relevant: Record<string, number> }[];
}

/** The words of other sets for the four types. */
const types: Record<string, string> = {
  prompt_template: "template",
  ui_component: "component",
  orchestration_config: "orchestration",
};

/** A way to search: the ids of the ten first. */
export type Engine = (sql: postgres.Sql, q: string) => Promise<string[]>;

/** Publishes the listings of a set, which keep their ids in `slug`. */
export async function loadSet(sql: postgres.Sql, { assets }: JudgedSet): Promise<void> {
  const creator = await makeUser(sql);
  const rows = assets.map((asset) => ({
    asset_type: types[asset.type] ?? asset.type,
    slug: `judged-${asset.id}`,
    title: asset.title,
    description: asset.description ?? null,
    // As the rules for tags allow them.
    tags: asset.tags.map((tag) => tag.replaceAll("#", "sharp").replaceAll(/[\s'&,()]+/g, "-")),
    installs: asset.installs ?? 0,
    stars: asset.stars ?? 0,
  }));
  await sql.begin(async (tx) => {
    // The counters are those of the set, and nobody's stars.
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into hub_assets (asset_type, ref_id, creator_id, slug, title, description, tags, license, is_public, current_version,
        published_at, content_updated_at, install_count, star_count)
      select r.asset_type, gen_random_uuid(), ${creator}, r.slug, r.title, r.description,
        private.normalize_tags(array(select jsonb_array_elements_text(r.tags))), 'cc0', true, 1,
        now(), now(), r.installs, r.stars
      from jsonb_to_recordset(${tx.json(rows as never)}) r (
        asset_type text, slug text, title text, description text, tags jsonb, installs integer, stars integer
      )`;
    await tx`select private.index_asset(a), private.add_words(a) from hub_assets a where a.slug like 'judged-%'`;
  });
  await sql`analyze`;
}

const ids = (rows: { slug: string }[]) => rows.map(({ slug }) => slug.slice("judged-".length));

/** What is measured: hub_search, and what people ship instead. */
export const engines: Record<string, Engine> = {
  hub_search: async (sql, q) => {
    const [row] = await sql<{ page: { items: { slug: string }[] } }[]>`
      select hub_search(q => ${q}, page_size => 10) as page`;
    return ids(row?.page.items ?? []);
  },
  "ts_rank, simple": (sql, q) => textSearch(sql, q, "simple"),
  "ts_rank, english": (sql, q) => textSearch(sql, q, "english"),
};

async function textSearch(sql: postgres.Sql, q: string, configuration: string): Promise<string[]> {
  const rows = await sql<{ slug: string }[]>`
    select a.slug
    from hub_assets a
    cross join lateral (
      select setweight(to_tsvector(${configuration}::regconfig, a.title), 'A')
        || setweight(to_tsvector(${configuration}::regconfig, array_to_string(a.tags, ' ')), 'B')
        || setweight(to_tsvector(${configuration}::regconfig, coalesce(a.description, '')), 'C') as document
    ) d
    where a.is_visible and d.document @@ websearch_to_tsquery(${configuration}::regconfig, ${q})
    order by ts_rank(d.document, websearch_to_tsquery(${configuration}::regconfig, ${q})) desc, a.id limit 10`;
  return ids(rows);
}

/** Similarity of trigrams alone; the database must have the extension. */
export const trigrams: Engine = async (sql, q) => {
  const rows = await sql<{ slug: string }[]>`
    select a.slug
    from hub_assets a
    cross join lateral (
      select greatest(extensions.word_similarity(${q}, a.title), extensions.similarity(${q}, a.title),
        .7 * extensions.word_similarity(${q}, array_to_string(a.tags, ' ')),
        .5 * extensions.word_similarity(${q}, coalesce(a.description, ''))) as score
    ) s
    where a.is_visible and s.score > .2
    order by s.score desc, a.id limit 10`;
  return ids(rows);
};

export interface Quality {
  mrr: number;
  recall: number;
  ndcg: number;
  queries: number;
}

/** How good the answers are, over all and by kind of question. Questions that nothing answers are asked and not counted. */
export async function measure(
  sql: postgres.Sql,
  { queries }: JudgedSet,
  engine: Engine,
): Promise<{
  all: Quality;
  kinds: Map<string, Quality>;
  misses: { q: string; ndcg: number; found: string[] }[];
}> {
  const results: { q: string; kind: string; mrr: number; recall: number; ndcg: number; found: string[] }[] =
    [];
  for (const { q, kind, relevant } of queries) {
    const found = await engine(sql, q).catch((error) => {
      // Questions that are refused are refused with a reason.
      if ((error as { code?: string }).code === "PT422") return [];
      throw error;
    });
    const wanted = Object.values(relevant).sort((a, b) => b - a);
    if (wanted.length === 0) continue;
    const first = found.findIndex((id) => relevant[id] !== undefined);
    const gain = (grades: number[]) =>
      grades.slice(0, 10).reduce((sum, grade, i) => sum + (2 ** grade - 1) / Math.log2(i + 2), 0);
    results.push({
      q,
      kind,
      found,
      mrr: first === -1 ? 0 : 1 / (first + 1),
      recall: found.filter((id) => relevant[id] !== undefined).length / Math.min(10, wanted.length),
      ndcg: gain(found.map((id) => relevant[id] ?? 0)) / gain(wanted),
    });
  }
  const mean = (of: typeof results): Quality => {
    const average = (value: (result: (typeof results)[number]) => number) =>
      of.reduce((sum, result) => sum + value(result), 0) / of.length;
    return {
      mrr: average((r) => r.mrr),
      recall: average((r) => r.recall),
      ndcg: average((r) => r.ndcg),
      queries: of.length,
    };
  };
  return {
    all: mean(results),
    kinds: new Map(
      [...new Set(results.map(({ kind }) => kind))].map((kind) => [
        kind,
        mean(results.filter((result) => result.kind === kind)),
      ]),
    ),
    misses: results.filter(({ ndcg }) => ndcg < 0.95).map(({ q, ndcg, found }) => ({ q, ndcg, found })),
  };
}
