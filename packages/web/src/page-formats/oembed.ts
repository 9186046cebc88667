import { assetPath, SECTIONS } from "../data/addresses.ts";
import { embedCode } from "../data/embed-code.ts";
import type { Listing } from "../data/hub.ts";
import { chosenPicture } from "../parts/picture.tsx";
import { LINK_HEIGHT, LINK_WIDTH } from "../parts/poster/link-picture.tsx";

const SIZE = { width: 420, height: 180 };

/** Returns an oEmbed 1.0 answer of type `rich`. */
export function oembed(asset: Listing, origin: string, api: string): Record<string, unknown> {
  return {
    version: "1.0",
    type: "rich",
    provider_name: "Keyhub",
    provider_url: `${origin}/hub`,
    title: asset.title,
    url: `${origin}${assetPath(asset)}`,
    ...(asset.creator
      ? {
          author_name: asset.creator.username,
          author_url: `${origin}/hub/creators/${encodeURIComponent(asset.creator.username)}`,
        }
      : {}),
    cache_age: 300,
    // oEmbed requires a size. If the owner's picture has another size than this one, sites that show it crop it.
    thumbnail_url: chosenPicture(asset, api) ?? `${origin}${assetPath(asset)}.png`,
    ...{ thumbnail_width: LINK_WIDTH, thumbnail_height: LINK_HEIGHT },
    ...SIZE,
    html: embedCode(asset, origin),
  };
}

/** Returns the slug of the listing that an address of this site names; null for any other address. */
export function slugOf(url: string, origin: string): string | null {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return null;
  }
  if (parsed.origin !== origin) return null;
  const [, hub, section = "", slug, ...more] = parsed.pathname.split("/");
  const isListing = hub === "hub" && [...Object.values(SECTIONS), "embed"].includes(section);
  if (!isListing || !slug || slug.length > 120 || more.length > 0) return null;
  try {
    return decodeURIComponent(slug);
  } catch {
    return null;
  }
}
