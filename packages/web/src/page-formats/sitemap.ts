import { assetPath, SECTIONS } from "../data/addresses.ts";
import type { Card } from "../data/hub.ts";
import { xml } from "./xml.ts";

/** Returns a sitemap with the addresses of sections and of the newest listings (sitemaps.org). */
export function sitemap(cards: readonly Card[], origin: string): string {
  const sections = ["/hub", ...Object.values(SECTIONS).map((section) => `/hub/${section}`)];
  return `<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${sections.map((path) => `<url><loc>${xml(origin + path)}</loc></url>`).join("\n")}
${cards
  .map(
    (card) =>
      `<url><loc>${xml(origin + assetPath(card))}</loc><lastmod>${xml(card.content_updated_at ?? "")}</lastmod></url>`,
  )
  .join("\n")}
</urlset>
`;
}
