import type { AssetType } from "./hub.ts";

export const ASSET_TYPES = [
  "orchestration",
  "template",
  "component",
  "ai_preset",
] as const satisfies readonly AssetType[];

/** The section of each type in addresses; a test holds that it is the one of permalinks. */
export const SECTIONS = {
  orchestration: "orchestrations",
  template: "templates",
  component: "components",
  ai_preset: "ai-presets",
} as const satisfies Record<AssetType, string>;

export const TYPE_OF_SECTION = Object.fromEntries(
  Object.entries(SECTIONS).map(([type, section]) => [section, type]),
) as Record<string, AssetType>;

export const TYPE_NAMES = {
  orchestration: { one: "Orchestration", many: "Orchestrations" },
  template: { one: "Template", many: "Templates" },
  component: { one: "Component", many: "Components" },
  ai_preset: { one: "AI preset", many: "AI presets" },
} as const satisfies Record<AssetType, { one: string; many: string }>;

export function assetPath(asset: { asset_type: AssetType; slug: string }): string {
  return `/hub/${SECTIONS[asset.asset_type]}/${encodeURIComponent(asset.slug)}`;
}

export function creatorPath(username: string): string {
  return `/hub/creators/${encodeURIComponent(username)}`;
}

export function tagPath(tag: string): string {
  return `/hub?tag=${encodeURIComponent(tag)}`;
}
