import type { Fault } from "../problem.ts";

export const ASSET_TYPES = ["orchestration", "template", "component", "ai_preset"] as const;
export type AssetType = (typeof ASSET_TYPES)[number];

/** Where an asset type lives: its source table, and its part of the address `/hub/<page>/<slug>`. */
export const ASSETS: Record<AssetType, { table: string; page: string; bytes: number }> = {
  orchestration: { table: "orchestrator_configs", page: "orchestrations", bytes: 1024 * 1024 },
  template: { table: "prompt_templates", page: "templates", bytes: 256 * 1024 },
  component: { table: "custom_components", page: "components", bytes: 512 * 1024 },
  ai_preset: { table: "ai_model_settings", page: "ai-presets", bytes: 16 * 1024 },
};

/** Limits of a kit: items, and bytes of all payloads together. */
export const BUNDLE = { items: 50, bytes: 5 * 1024 * 1024 } as const;

/** The columns of a source row that are published, and under which name. An allow-list: no other column is published. */
const ALLOWED: Record<AssetType, Record<string, string>> = {
  template: { name: "name", description: "description", content: "content", variables: "variables" },
  component: { name: "name", description: "description", source: "source", props_schema: "props_schema" },
  orchestration: { nodes: "nodes", edges: "edges", stage_configs: "stage_configs" },
  ai_preset: {
    model_id: "model_id",
    temperature: "temperature",
    top_p: "topP",
    top_k: "topK",
    max_output_tokens: "maxOutputTokens",
    thinking_level: "thinkingLevel",
    thinking_budget: "thinkingBudget",
    generate_content_api: "generate_content_api",
  },
};

export type Payload = Record<string, unknown>;

/** The published form of a source row, before redaction: the allowed columns, copied. Absent columns are null. */
export function snapshot(assetType: AssetType, row: Readonly<Record<string, unknown>>): Payload {
  const payload: Payload = {};
  for (const [column, name] of Object.entries(ALLOWED[assetType])) {
    payload[name] = structuredClone((Object.hasOwn(row, column) ? row[column] : null) ?? null);
  }
  return payload;
}

/** A payload as columns of the source table, for an import. Unknown members are left out. */
export function columnsOf(assetType: AssetType, payload: Readonly<Payload>): Payload {
  const columns: Payload = {};
  for (const [column, name] of Object.entries(ALLOWED[assetType])) {
    if (Object.hasOwn(payload, name)) columns[column] = structuredClone(payload[name]);
  }
  return columns;
}

/** Size of a value as UTF-8 JSON, in bytes. */
export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value) ?? "").byteLength;
}

/** The fault of a payload that is too large for its type, or null. */
export function payloadSizeFault(assetType: AssetType, payload: unknown, path = "payload"): Fault | null {
  const { bytes } = ASSETS[assetType];
  if (jsonBytes(payload) <= bytes) return null;
  return { path, code: "too_big", message: `must be at most ${bytes / 1024} KB as JSON` };
}

/** The faults of the items of a kit: too many, or too large together. */
export function bundleFaults(items: readonly { payload: unknown }[]): Fault[] {
  const faults: Fault[] = [];
  if (items.length > BUNDLE.items) {
    faults.push({ path: "items", code: "too_big", message: `must be at most ${BUNDLE.items} items` });
  }
  if (items.reduce((sum, { payload }) => sum + jsonBytes(payload), 0) > BUNDLE.bytes) {
    faults.push({
      path: "items",
      code: "too_big",
      message: `must be at most ${BUNDLE.bytes / 1024 / 1024} MB together`,
    });
  }
  return faults;
}

/** The stable address of a listing. */
export function permalink(assetType: AssetType, slug: string): string {
  return `/hub/${ASSETS[assetType].page}/${slug}`;
}
