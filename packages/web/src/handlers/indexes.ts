import type { Context } from "../context.ts";
import type { Card } from "../data/hub.ts";
import { feed } from "../formats/feed.ts";
import { sitemap } from "../formats/sitemap.ts";
import { open } from "../http/respond.ts";

export async function feedReply({ hub, request, origin }: Context): Promise<Response> {
  const { items } = await hub.search({ page_size: 50 });
  return open(request, feed(items, origin), "application/atom+xml; charset=utf-8");
}

/** The number of calls that make a sitemap: its 1,000 newest listings. Older ones are found through pages and creators. */
const SITEMAP_PAGES = 10;

export async function sitemapReply({ hub, request, origin }: Context): Promise<Response> {
  const cards: Card[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < SITEMAP_PAGES; page += 1) {
    const found: Awaited<ReturnType<typeof hub.search>> = await hub.search({ page_size: 100, cursor });
    cards.push(...found.items);
    cursor = found.next_cursor;
    if (cursor === null) break;
  }
  return open(request, sitemap(cards, origin), "application/xml; charset=utf-8");
}
