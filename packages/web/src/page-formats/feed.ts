import { assetPath } from "../data/addresses.ts";
import type { Card } from "../data/hub.ts";
import { chosenPicture } from "../parts/picture.tsx";
import { xml } from "./xml.ts";

/** The title of a feed, and the paths of the page with the same listings and of the feed itself. */
export interface FeedHead {
  title: string;
  page: string;
  self: string;
}

/** The origin of the site and the address of the Supabase project, as in Context. */
interface Site {
  origin: string;
  api: string;
}

/** Returns the newest listings as an Atom feed (RFC 4287). */
export function feed(cards: readonly Card[], { origin, api }: Site, head: FeedHead): string {
  const updated = cards[0]?.published_at ?? "1970-01-01T00:00:00Z";
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>${xml(head.title)}</title>
<id>${xml(origin + head.page)}</id>
<link href="${xml(origin + head.page)}"/>
<link rel="self" href="${xml(origin + head.self)}"/>
<updated>${xml(updated)}</updated>
${cards.map((card) => entry(card, origin, chosenPicture(card, api))).join("\n")}
</feed>
`;
}

function entry(card: Card, origin: string, picture: string | null): string {
  return `<entry>
<title>${xml(card.title)}</title>
<id>urn:uuid:${xml(card.id)}</id>
<link href="${xml(origin + assetPath(card))}"/>${picture ? `\n<link rel="enclosure" href="${xml(picture)}"/>` : ""}
<published>${xml(card.published_at ?? "")}</published>
<updated>${xml(card.content_updated_at ?? card.published_at ?? "")}</updated>
<author><name>${xml(card.creator?.username ?? "deleted account")}</name></author>
<summary>${xml(card.description ?? "")}</summary>
${card.tags.map((tag) => `<category term="${xml(tag)}"/>`).join("")}
</entry>`;
}
