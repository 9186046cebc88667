import type { AssetType, Payload } from "./assets.ts";

/** An item, identified by its type and the id of its source row. */
export interface ItemRef {
  asset_type: AssetType;
  ref_id: string;
}

export type Mode = "pipeline" | "bundle";

/** The members of a stage that link to other rows of the workspace, with the type of these rows. */
const LINKS: Record<string, AssetType> = {
  prompt_template_id: "template",
  component_id: "component",
  ai_model_setting_id: "ai_preset",
};

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns the items to embed in an orchestration, each once: first those that the caller named, then (in mode
 * `bundle`) the linked prompt templates in the order of the stages. The orchestration itself is never among them.
 */
export function collectItems(
  mode: Mode,
  orchestration: { ref_id: string; payload: Payload },
  named: readonly ItemRef[],
): ItemRef[] {
  const items = new Map<string, ItemRef>();
  for (const { asset_type, ref_id } of named) add(items, asset_type, ref_id);
  if (mode === "bundle") {
    for (const stage of stagesOf(orchestration.payload)) {
      const { prompt_template_id: link } = stage;
      if (typeof link === "string" && UUID.test(link)) add(items, "template", link);
    }
  }
  items.delete(keyOf("orchestration", orchestration.ref_id));
  return [...items.values()];
}

/** Returns a copy of the payload. In the copy, links to items that are not embedded are null. */
export function relink(payload: Payload, embedded: readonly ItemRef[]): Payload {
  const kept = new Set(embedded.map(({ asset_type, ref_id }) => keyOf(asset_type, ref_id)));
  return rewriteLinks(payload, (assetType, id) => (kept.has(keyOf(assetType, id)) ? id : null));
}

/** Returns a copy of the payload. In the copy, links have the new ids of the items, found by type and old id. All other links are null. */
export function repoint(payload: Payload, moved: readonly (ItemRef & { id: string })[]): Payload {
  const places = new Map(moved.map(({ asset_type, ref_id, id }) => [keyOf(asset_type, ref_id), id]));
  return rewriteLinks(payload, (assetType, id) => places.get(keyOf(assetType, id)) ?? null);
}

function rewriteLinks(payload: Payload, to: (assetType: AssetType, id: string) => string | null): Payload {
  const copy = structuredClone(payload);
  for (const stage of stagesOf(copy)) {
    for (const [link, assetType] of Object.entries(LINKS)) {
      const target = stage[link];
      if (target === undefined || target === null) continue;
      stage[link] = typeof target === "string" ? to(assetType, target) : null;
    }
  }
  return copy;
}

function stagesOf(payload: Payload): Record<string, unknown>[] {
  const { stage_configs: stages } = payload;
  if (!Array.isArray(stages)) return [];
  return stages.filter((stage) => typeof stage === "object" && stage !== null && !Array.isArray(stage));
}

function add(items: Map<string, ItemRef>, asset_type: AssetType, ref_id: string): void {
  const id = ref_id.toLowerCase();
  items.set(keyOf(asset_type, id), { asset_type, ref_id: id });
}

function keyOf(assetType: AssetType, refId: string): string {
  return `${assetType} ${refId.toLowerCase()}`;
}
