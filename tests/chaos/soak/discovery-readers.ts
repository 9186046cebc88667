import type { SupabaseClient } from "@supabase/supabase-js";
import { count, type Load, pick } from "./discovery-shared.ts";

interface Answer {
  data: unknown;
  error: { message: string; code?: string } | null;
}
type Ask = (client: SupabaseClient, load: Load) => PromiseLike<Answer>;

const search =
  (what: Record<string, unknown>): Ask =>
  (client) =>
    client.rpc("hub_search", what, { get: true });

const asks: Record<string, Ask> = {
  newest: search({}),
  "most starred": search({ sort: "most_starred" }),
  "most installed": search({ sort: "most_installed", page_size: 100 }),
  type: search({ types: ["template"], sort: "recently_updated" }),
  word: search({ q: "meeting" }),
  "word, newest": search({ q: "notes", sort: "newest" }),
  "two words": search({ q: "Rechnung listing" }),
  slip: search({ q: "meetng" }),
  CJK: search({ q: "翻訳" }),
  facets: search({ q: "report", facets: true }),
  trending: (client) => client.rpc("hub_trending", {}, { get: true }),
  categories: (client) => client.rpc("hub_categories", {}, { get: true }),
  creator: (client, load) => client.rpc("hub_creator", { username: pick(load.creators) }, { get: true }),
  remixes: (client, load) => client.rpc("hub_remixes", { asset_id: pick(load.roots) }, { get: true }),
  listings: (client) =>
    client.from("hub_listings").select("id, slug").order("published_at", { ascending: false }).limit(24),
};

/** Reads pages of random kinds. After the first page of `newest`, it also reads up to three further pages. */
export async function reader(load: Load): Promise<void> {
  const client = load.service.client();
  while (performance.now() < load.end) {
    const kind = pick(Object.keys(asks));
    let next: string | null = null;
    const data = await page(load, kind, () => (asks[kind] as Ask)(client, load));
    if (kind === "newest") next = (data as { next_cursor?: string | null } | null)?.next_cursor ?? null;
    for (let pages = 0; pages < 3 && next !== null; pages += 1) {
      const cursor: string = next;
      const more = await page(load, "next page", () => client.rpc("hub_search", { cursor }, { get: true }));
      next = (more as { next_cursor?: string | null } | null)?.next_cursor ?? null;
    }
  }
}

async function page(load: Load, kind: string, ask: () => PromiseLike<Answer>): Promise<unknown> {
  // The listings that are in `hidden` now were hidden before the request begins, so its answer may not show them.
  const committed = load.hidden.size;
  const { data, error } = await ask();
  count(load.done, kind);
  if (error !== null) {
    load.broken.push(`${kind}: ${error.code} ${error.message}`);
    return null;
  }
  const items = (Array.isArray(data) ? data : ((data as { items?: unknown[] }).items ?? [])) as {
    id?: string;
  }[];
  for (const { id } of items) {
    const place = id === undefined ? undefined : load.hidden.get(id);
    if (place !== undefined && place < committed)
      load.broken.push(`${kind} shows ${id}, which was hidden before`);
  }
  return data;
}
