import { assetPath } from "../data/addresses.ts";
import type { Asset } from "../data/types.ts";

/** The open view of a listing: `GET /api/hub/:id` and `/hub/<type>/<slug>.json`. */
export function assetJson(asset: Asset, origin: string): Record<string, unknown> {
  const { deleted: _deleted, is_visible: _visible, ...rest } = asset;
  const { lineage: _lineage, creator_id: _creator, source_asset_id, parent_asset_id, items, ...fields } = rest as Record<
    string,
    unknown
  > & { items: Record<string, unknown>[] };
  const path = assetPath(asset);
  return {
    ...fields,
    source_asset_id,
    parent_asset_id,
    items: items.map(({ lineage: _ignored, ref_id: _ref, ...item }) => item),
    links: {
      html: `${origin}${path}`,
      json: `${origin}${path}.json`,
      markdown: `${origin}${path}.md`,
      embed: `${origin}/hub/embed/${encodeURIComponent(asset.slug)}`,
    },
  };
}
