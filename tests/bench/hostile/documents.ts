import { type Archive, ASSETS, type AssetType } from "../../../packages/core/src/hub/index.ts";
import type { WholeAsset } from "./whole-assets.ts";

/** The places for a value in the text of a file; the rest of the file is as small as possible. */
export const PLACES = [
  "title",
  "description",
  "tags",
  "items",
  "payload",
  "variables",
  "content",
  "nodes",
  "unknown",
  "license",
  "attribution",
] as const;

export function fileAround(value: string, at: (typeof PLACES)[number]): string {
  const fixed = {
    format: "keyhub.asset",
    format_version: 1,
    asset_type: at === "nodes" ? "orchestration" : "template",
  };
  const members: Record<string, string> = {
    ...Object.fromEntries(Object.entries(fixed).map(([key, said]) => [key, JSON.stringify(said)])),
    ...{
      title: '"t"',
      description: "null",
      tags: "[]",
      license: '"cc0"',
      payload: '{"content":"x"}',
      items: "[]",
      attribution: "null",
    },
    sha256: `"${"0".repeat(64)}"`,
  };
  if (at === "variables" || at === "content" || at === "nodes") members.payload = `{"${at}":${value}}`;
  else members[at] = value;
  return `{${Object.entries(members)
    .map(([key, text]) => `"${key}":${text}`)
    .join(",")}}`;
}

/** Returns the text of a file with a whole asset. */
export function fileOf({ asset_type, payload, items }: WholeAsset): string {
  const sha256 = "0".repeat(64);
  const file = { format: "keyhub.asset", format_version: 1, asset_type, title: "t", description: null };
  const held = items.map((item, n) => {
    const ref_id = `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
    return { ...item, ref_id, title: `item ${n}`, license: "cc0", attribution: null, sha256 };
  });
  return JSON.stringify({
    ...file,
    tags: [],
    license: "cc0",
    payload,
    items: held,
    attribution: null,
    sha256,
  });
}

/** Returns a kit of about `size` characters. Its items are templates of the largest allowed size that contain the value. */
export function kitOf(make: (size: number) => string, size: number): Archive {
  const part = Math.min(ASSETS.template.bytes - 100, size);
  const item = (n: number) => ({
    asset_type: "template" as const,
    ref_id: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
    title: `item ${n}`,
    payload: { name: "n", description: null, content: "x", variables: [JSON.parse(make(part - 200))] },
    license: "cc0" as const,
    attribution: null,
    sha256: "0".repeat(64),
  });
  return {
    ...{
      format: "keyhub.asset",
      format_version: 1,
      asset_type: "orchestration",
      title: "t",
      description: null,
    },
    ...{ tags: [], license: "cc0", payload: { nodes: [], edges: [], stage_configs: [] }, attribution: null },
    items: Array.from({ length: Math.min(20, Math.max(1, Math.floor(size / part))) }, (_, n) => item(n)),
    sha256: "0".repeat(64),
  };
}

/** Returns an asset of a type with the value in the member that may be the largest. */
export function assetOf(type: AssetType, value: unknown): Archive {
  const payload = {
    template: { content: typeof value === "string" ? value : "x", variables: [value] },
    component: { source: String(value), props_schema: {} },
    orchestration: {
      nodes: [value],
      edges: [],
      stage_configs: [{ id: "s", prompt_template_id: "x", settings: {} }],
    },
    ai_preset: { model_id: "m" },
  }[type];
  return {
    ...{
      format: "keyhub.asset",
      format_version: 1,
      asset_type: type,
      title: "t",
      description: null,
      tags: [],
    },
    ...{ license: "cc0", payload, items: [], attribution: null, sha256: "0".repeat(64) },
  };
}
