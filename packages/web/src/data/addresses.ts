import { ASSET_TYPES, ASSETS, shelfLink } from "@keyhub/core/hub";
import type { AssetType } from "./hub.ts";

export { ASSET_TYPES };

/** The path segment for each type, such as `templates` in `/hub/templates`. */
export const SECTIONS = Object.fromEntries(ASSET_TYPES.map((type) => [type, ASSETS[type].page])) as Record<
  AssetType,
  string
>;

export const TYPE_OF_SECTION = Object.fromEntries(
  Object.entries(SECTIONS).map(([type, section]) => [section, type]),
) as Record<string, AssetType>;

export const TYPE_NAMES = {
  orchestration: { one: "Orchestration", many: "Orchestrations" },
  template: { one: "Template", many: "Templates" },
  component: { one: "Component", many: "Components" },
  ai_preset: { one: "AI preset", many: "AI presets" },
} as const satisfies Record<AssetType, { one: string; many: string }>;

/** The types in the order of the navigation. */
export const TYPES_IN_ORDER = Object.keys(TYPE_NAMES) as AssetType[];

export function assetPath(asset: { asset_type: AssetType; slug: string }): string {
  return `/hub/${SECTIONS[asset.asset_type]}/${encodeURIComponent(asset.slug)}`;
}

/** Returns the address of an asset's file in the given format. */
export function filePath(asset: { asset_type: AssetType; slug: string }, format: string): string {
  return `${assetPath(asset)}/file?as=${encodeURIComponent(format)}`;
}

export function creatorPath(username: string): string {
  return `/hub/creators/${encodeURIComponent(username)}`;
}

/** Returns the address of an organization's shelf, by its short name, or by its id when only that is known. */
export function shelfPath(organization: string): string {
  return `/orgs/${organization}`;
}

/** Returns the address of a listing on the shelf of an organization. For a public listing, the page there redirects to the hub. */
export const sharedPath = shelfLink;

export function tagPath(tag: string): string {
  return `/hub?tag=${encodeURIComponent(tag)}`;
}
