import type postgres from "postgres";
import { type Actor, attempt } from "./actors.ts";

export interface Card {
  id: string;
  slug: string;
  title: string;
  asset_type: string;
  tags: string[];
  creator: { username: string; avatar_url: string | null } | null;
}
export interface Page {
  items: Card[];
  next_cursor: string | null;
  facets?: Record<"types" | "licenses" | "tags" | "models", { value: string; count: number }[]> & {
    complete: boolean;
  };
}

/** The arguments of hub_search by name. */
export type Search = Partial<{
  q: string;
  types: string[];
  tags: string[];
  model: string;
  cardinality: string;
  license: string;
  creator: string;
  sort: string;
  cursor: string | null;
  page_size: number;
  facets: boolean;
}>;

/** Returns one page of results for an actor. */
export async function search(who: Actor, what: Search = {}): Promise<Page> {
  const [row] = await who.run((tx) => ask(tx, what));
  return row?.page as Page;
}

function ask(tx: postgres.TransactionSql, what: Search) {
  return tx<{ page: Page }[]>`
    select hub_search(
      q => ${what.q ?? null}, types => ${what.types ?? null}, tags => ${what.tags ?? null}, model => ${what.model ?? null},
      cardinality => ${what.cardinality ?? null}, license => ${what.license ?? null}, creator => ${what.creator ?? null},
      sort => ${what.sort ?? null}, cursor => ${what.cursor ?? null}, page_size => ${what.page_size ?? 24},
      facets => ${what.facets ?? false}
    ) as page`;
}

export const titles = async (who: Actor, what: Search) =>
  (await search(who, what)).items.map(({ title }) => title);

/** Returns the code of a refusal, or for PT422 the fields that the refusal names. */
export async function refusal(who: Actor, what: Search): Promise<string | string[]> {
  const outcome = await attempt(who, async (tx) => {
    try {
      await ask(tx, what);
      return [];
    } catch (error) {
      const { code, detail } = error as postgres.PostgresError;
      if (code !== "PT422") throw error;
      throw Object.assign(error as object, {
        message: JSON.parse(detail ?? "")
          .errors.map(({ path }: { path: string }) => path)
          .join(),
      });
    }
  });
  return "refused" in outcome ? outcome.refused : "answered";
}

/** Reads all pages of a search and returns the ids of the results. `between` runs before each further page. */
export async function walk(
  who: Actor,
  what: Search,
  between: (page: Page) => Promise<unknown> = async () => {},
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < 1000; pages += 1) {
    const page: Page = await search(who, { ...what, cursor });
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor;
    if (cursor === null) return ids;
    await between(page);
  }
  throw new Error("the list has no end");
}

/**
 * Adds many visible listings at once, without the triggers that count and log. It also adds the rows for search that triggers would add.
 */
export async function addListings(
  sql: postgres.Sql,
  creator: string,
  count: number,
  row = "'Listing ' || i",
  tags = "'{}'",
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx.unsafe(
      `insert into hub_assets (asset_type, ref_id, creator_id, slug, title, description, tags, is_public, current_version, published_at,
        content_updated_at, star_count, install_count)
       select 'template', gen_random_uuid(), $1, 'bulk-' || gen_random_uuid(), ${row}, 'One of many.', ${tags}, true, 1, '2026-01-01', '2026-01-01', 3, 3
       from generate_series(1, $2::int) i`,
      [creator, count],
    );
    // A document costs more than its listing, so listings of the same texts share one.
    await tx`
      with new as materialized (
        select a from hub_assets a
        where a.slug like 'bulk-%' and a.creator_id = ${creator}
          and not exists (select from private.hub_documents d where d.asset_id = a.id)
      ), made as materialized (
        select (n.a).title, (n.a).tags, d.popularity, d.title_key, d.document
        from (select distinct on ((a).title, (a).tags) a from new) n cross join lateral private.make_document(n.a) d
      )
      insert into private.hub_documents (asset_id, popularity, title_key, document)
      select (n.a).id, m.popularity, m.title_key, m.document
      from new n join made m on m.title = (n.a).title and m.tags = (n.a).tags`;
    await tx`
      insert into private.hub_listing_tags (asset_id, tag, published_at, content_updated_at, install_count, star_count, tag_bits)
      select a.id, t.tag, a.published_at, a.content_updated_at, a.install_count, a.star_count, private.tag_bits(a.tags)
      from hub_assets a cross join lateral unnest(a.tags) t (tag)
      where a.slug like 'bulk-%' and a.creator_id = ${creator}
      on conflict do nothing`;
    await addWords(tx);
  });
  await sql`analyze hub_assets, private.hub_documents, private.hub_words, private.hub_listing_tags`;
}

/** Adds the words of all listings to private.hub_words. The triggers, which are slower, add the words of one listing at a time. */
export async function addWords(sql: postgres.Sql | postgres.TransactionSql): Promise<void> {
  await sql`
    insert into private.hub_words (word, slips)
    select w.word, private.slips(w.word)
    from (
      select distinct l.lexeme as word
      from private.hub_documents d cross join lateral unnest(tsvector_to_array(d.document)) l (lexeme)
      where l.lexeme ~ '^[^=~].{2}'
    ) w
    where not exists (select from private.hub_words k where k.word = w.word collate "C")`;
}
