import { assetPath } from "../data/addresses.ts";
import type { Listing } from "../data/hub.ts";
import { chosenPicture } from "../parts/picture.tsx";

/**
 * Returns the public view of a listing, for `GET /api/hub/:id` and `/hub/<type>/<slug>.json`. It leaves out ids of people and of workspace
 * rows.
 */
export function assetJson(asset: Listing, origin: string, api: string): Record<string, unknown> {
  const { deleted: _d, is_visible: _v, lineage: _l, creator_id: _c, items, ...fields } = asset;
  const path = assetPath(asset);
  return {
    ...fields,
    ...(!asset.readable && { payload: null }),
    items: items.map(({ lineage: _lineage, ref_id: _ref, ...item }) => item),
    links: {
      html: `${origin}${path}`,
      json: `${origin}${path}.json`,
      markdown: `${origin}${path}.md`,
      picture: chosenPicture(asset, api) ?? `${origin}${path}.png`,
      embed: `${origin}/hub/embed/${encodeURIComponent(asset.slug)}`,
    },
  };
}
