import type { Context } from "../context.ts";
import { creatorPath } from "../data/addresses.ts";
import type { Card } from "../data/hub.ts";
import { addressOf, emptyQuery, readQuery, searchRequest } from "../data/query.ts";
import { open, redirect } from "../http/respond.ts";
import { feed } from "../page-formats/feed.ts";
import { sitemap } from "../page-formats/sitemap.ts";

/** Returns a feed with the newest listings of the hub, of a creator (`?creator=`) or with tags (`?tag=`). */
export async function feedReply({ hub, request, url, origin, api }: Context): Promise<Response> {
  const asked = readQuery(url.searchParams);
  const query = emptyQuery({ creator: asked.creator, tags: asked.tags });
  const self = addressOf("/hub/feed.xml", query);
  if (asked.creator) {
    // `hub.creator` throws for an unknown name, which becomes a 404. A former name redirects to the feed with the present name.
    const { username } = await hub.creator(asked.creator);
    if (username !== asked.creator)
      return redirect(addressOf("/hub/feed.xml", { ...query, creator: username }));
  }
  const { items } = await hub.search({ ...searchRequest(query), sort: "newest", page_size: 50 });
  const words = [asked.creator && `@${asked.creator}`, ...asked.tags.map((tag) => `#${tag}`)].filter(Boolean);
  const head = {
    title: words.length > 0 ? `Keyhub: ${words.join(" ")}` : "Keyhub: newest listings",
    page: asked.creator && asked.tags.length === 0 ? creatorPath(asked.creator) : addressOf("/hub", query),
    self,
  };
  return open(request, feed(items, { origin, api }, head), "application/atom+xml; charset=utf-8");
}

/** The number of calls for a sitemap, with 100 listings each, newest first. Crawlers find older listings on lists and creators' pages. */
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
