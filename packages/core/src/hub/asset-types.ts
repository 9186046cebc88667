import * as z from "zod/mini";

/* The one table of asset types. Everything else that core and the functions know about a type is derived from its entry. */

/** The properties of one type of assets. */
interface AssetKind {
  /** The workspace table with the sources of this type. */
  table: string;
  /** The part `<page>` of the address `/hub/<page>/<slug>`. */
  page: string;
  /** The largest payload without its `source_text`, in bytes of JSON. */
  bytes: number;
  /**
   * The columns of a source row that are published, each with its name in the payload and the values that it can
   * store. This is an allow-list: no other column is published. A payload leaves out an optional column that is null.
   */
  columns: Record<string, Column>;
}

type Column = readonly [name: string, stored: z.ZodMiniType, optional?: "optional"];

const text = z.nullish(z.string());
const real = z.nullish(z.number());
const integer = z.nullish(z.int().check(z.minimum(-2_147_483_648), z.maximum(2_147_483_647)));
const list = z.nullish(z.array(z.unknown()));
const map = z.nullish(z.record(z.string(), z.unknown()));
const listOrMap = z.nullish(z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]));

/**
 * The two columns that keep the file of another tool from which an asset was read: its format and its text. Every type has them. The text
 * has a limit of its own (SOURCE_BYTES).
 */
const SOURCE = {
  source_format: ["source_format", z.nullish(z.string().check(z.regex(/^[a-z0-9-]{1,40}$/))), "optional"],
  source_text: ["source_text", text, "optional"],
} as const satisfies Record<string, Column>;

/** The largest `source_text`, in bytes of UTF-8. */
export const SOURCE_BYTES = 1024 * 1024;

export const ASSETS = {
  orchestration: {
    table: "orchestrator_configs",
    page: "orchestrations",
    bytes: 1024 * 1024,
    columns: {
      nodes: ["nodes", list],
      edges: ["edges", list],
      stage_configs: ["stage_configs", list],
      ...SOURCE,
    },
  },
  template: {
    table: "prompt_templates",
    page: "templates",
    bytes: 256 * 1024,
    columns: {
      name: ["name", text],
      description: ["description", text],
      content: ["content", text],
      variables: ["variables", listOrMap],
      ...SOURCE,
    },
  },
  component: {
    table: "custom_components",
    page: "components",
    bytes: 512 * 1024,
    columns: {
      name: ["name", text],
      description: ["description", text],
      source: ["source", text],
      props_schema: ["props_schema", map],
      ...SOURCE,
    },
  },
  ai_preset: {
    table: "ai_model_settings",
    page: "ai-presets",
    bytes: 16 * 1024,
    columns: {
      model_id: ["model_id", text],
      temperature: ["temperature", real],
      top_p: ["topP", real],
      top_k: ["topK", integer],
      max_output_tokens: ["maxOutputTokens", integer],
      thinking_level: ["thinkingLevel", text],
      thinking_budget: ["thinkingBudget", integer],
      generate_content_api: ["generate_content_api", text],
      extra: ["extra", map, "optional"],
      ...SOURCE,
    },
  },
} as const satisfies Record<string, AssetKind>;

export type AssetType = keyof typeof ASSETS;
export const ASSET_TYPES = Object.keys(ASSETS) as readonly AssetType[] as readonly [
  AssetType,
  ...AssetType[],
];

/**
 * Returns the published columns of a type: the column, its name in a payload, the values that it can store, and whether payloads omit null.
 */
export function columnsOfType(
  assetType: AssetType,
): { column: string; name: string; stored: z.ZodMiniType; isOptional: boolean }[] {
  const { columns }: AssetKind = ASSETS[assetType];
  return Object.entries(columns).map(([column, [name, stored, optional]]) => ({
    ...{ column, name, stored },
    isOptional: optional !== undefined,
  }));
}

/** Calls `make` for each type and returns the results by type. */
export function byAssetType<Made>(make: (assetType: AssetType) => Made): Record<AssetType, Made> {
  return Object.fromEntries(ASSET_TYPES.map((type) => [type, make(type)])) as Record<AssetType, Made>;
}
