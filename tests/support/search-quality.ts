import type postgres from "postgres";
import { makeUser } from "./keys.ts";

/** Listings and searches. Each search grades the listings that should be found first: grade 3 is wanted, 2 is good, 1 is acceptable. */
export interface JudgedSet {
  assets: {
    id: string;
    type: string;
    title: string;
    description?: string;
    tags: string[];
    installs?: number;
    stars?: number;
    /** One of the names in `creators`. */
    creator?: string;
  }[];
  creators?: Record<string, { username: string; display_name: string }>;
  queries: { q: string; kind: string; relevant: Record<string, number> }[];
}

/** The other names that a set may use for a type, each with the hub's name. */
const types: Record<string, string> = {
  prompt_template: "template",
  ui_component: "component",
  orchestration_config: "orchestration",
};

/** A way to search; returns the ids of the first ten results. */
export type Engine = (sql: postgres.Sql, q: string) => Promise<string[]>;

/** Adds the listings of a set to the hub. The slug of each listing is its id in the set. */
export async function loadSet(sql: postgres.Sql, { assets, creators = {} }: JudgedSet): Promise<void> {
  const ids = new Map<string | undefined, string>([[undefined, await makeUser(sql)]]);
  for (const [name, profile] of Object.entries(creators)) {
    const id = await makeUser(sql);
    await sql`update hub_profiles set ${sql(profile)} where user_id = ${id}`;
    ids.set(name, id);
  }
  const rows = assets.map((asset) => ({
    asset_type: types[asset.type] ?? asset.type,
    slug: `judged-${asset.id}`,
    title: asset.title,
    description: asset.description ?? null,
    // The hub does not allow these characters in tags.
    tags: asset.tags.map((tag) => tag.replaceAll("#", "sharp").replaceAll(/[\s'&,()]+/g, "-")),
    installs: asset.installs ?? 0,
    stars: asset.stars ?? 0,
    creator_id: ids.get(asset.creator),
  }));
  await sql.begin(async (tx) => {
    // Triggers are switched off, because they would replace the set's numbers of stars and installs by numbers of rows.
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into hub_assets (asset_type, ref_id, creator_id, slug, title, description, tags, license, is_public, current_version,
        published_at, content_updated_at, install_count, star_count)
      select r.asset_type, gen_random_uuid(), r.creator_id, r.slug, r.title, r.description,
        private.normalize_tags(array(select jsonb_array_elements_text(r.tags))), 'cc0', true, 1,
        now(), now(), r.installs, r.stars
      from jsonb_to_recordset(${tx.json(rows as never)}) r (
        asset_type text, slug text, title text, description text, tags jsonb, installs integer, stars integer, creator_id uuid
      )`;
    await tx`select private.index_asset(a) from hub_assets a where a.slug like 'judged-%'`;
  });
  await sql`analyze`;
}

const ids = (rows: { slug: string }[]) => rows.map(({ slug }) => slug.slice("judged-".length));

/**
 * The engines that are measured: hub_search, and for comparison a usual search with Postgres, for which the database must have the
 * extension pg_trgm.
 */
export const engines: Record<string, Engine> = {
  hub_search: async (sql, q) => {
    const [row] = await sql<{ page: { items: { slug: string }[] } }[]>`
      select hub_search(q => ${q}, page_size => 10) as page`;
    return ids(row?.page.items ?? []);
  },
  "weighted tsvector and trigrams": async (sql, q) => {
    const rows = await sql<{ slug: string }[]>`
      with asked as (
        select websearch_to_tsquery('english', ${q}) as english, (
          select string_agg(quote_literal(w) || ':*', ' & ')::tsquery from regexp_split_to_table(lower(${q}), '[^[:alnum:]]+') w where w <> ''
        ) as beginnings
      )
      select a.slug
      from hub_assets a cross join asked
      cross join lateral (
        select setweight(to_tsvector('english', a.title), 'A') || setweight(to_tsvector('simple', a.title), 'A')
          || setweight(to_tsvector('simple', array_to_string(a.tags, ' ')), 'B')
          || setweight(to_tsvector('english', coalesce(a.description, '')), 'C')
          || setweight(to_tsvector('simple', coalesce(a.description, '')), 'C') as document
      ) d
      cross join lateral (
        select greatest(extensions.similarity(a.title, ${q}), .9 * extensions.word_similarity(${q}, a.title),
          .6 * extensions.word_similarity(${q}, array_to_string(a.tags, ' ')), .5 * extensions.word_similarity(${q}, a.description)) as likeness
      ) s
      where a.is_visible and (
        d.document @@ asked.english or d.document @@ asked.beginnings or s.likeness > .3 or a.title ilike '%' || ${q} || '%'
      )
      order by (lower(a.title) = lower(${q})) desc,
        ts_rank(d.document, asked.english) + ts_rank(d.document, coalesce(asked.beginnings, '')) + s.likeness
          + case when a.title ilike '%' || ${q} || '%' then .5 else 0 end desc,
        a.star_count desc, a.id
      limit 10`;
    return ids(rows);
  },
};

export interface Quality {
  mrr: number;
  recall: number;
  ndcg: number;
  queries: number;
}

/**
 * Measures the quality of the results, over all searches and by kind of search. Searches for which no listing is graded run, too, but are
 * not part of the figures.
 */
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
      // A search that the hub refuses with status 422 is measured as a search without results.
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
