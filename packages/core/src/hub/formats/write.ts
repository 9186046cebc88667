import type { AssetType, Payload } from "../assets.ts";
import { slugify } from "../slug.ts";
import type { Format, Requirement } from "./format.ts";
import { parseAs } from "./parse.ts";
import { FORMATS, formatOf } from "./registry.ts";

interface Named {
  asset_type: AssetType;
  title: string;
  description: string | null;
  payload: Payload;
}

/** Returns the formats in which an asset can be written: the format of its source text, then those that can write any asset of its type. */
export function writableFormats({ asset_type, payload }: Pick<Named, "asset_type" | "payload">): Format[] {
  const own = sourceOf(payload);
  const others = FORMATS.filter(
    (format) => format !== own?.format && format.assetType === asset_type && format.write !== undefined,
  );
  return own === null ? others : [own.format, ...others];
}

/** Returns the asset as a file of the format `id`: its `source_text` if that has this format. Null if the format cannot write the asset. */
export function writeForeign(id: string, asset: Named): { filename: string; text: string } | null {
  const format = writableFormats(asset).find((one) => one.id === id);
  if (format === undefined) return null;
  const own = sourceOf(asset.payload);
  const text = own?.format === format ? own.text : format.write?.(asset);
  if (text === undefined) return null;
  const filename = format.filename ?? `${slugify(asset.title, asset.asset_type, () => 0)}${format.extension}`;
  return { filename, text };
}

/** The most requirements that are listed. */
const LISTED = 100;

/** Returns the requirements of an asset, each once. Only an asset that came from another tool has any. */
export function requirementsOf(payload: Payload): Requirement[] {
  const own = sourceOf(payload);
  const file = own && parseAs(own.format.syntax, own.text, null);
  if (!own || !file) return [];
  const known = new Map<string, Requirement>();
  for (const { kind, name } of own.format.requires(file.value)) {
    const short = name.trim().slice(0, 200);
    if (short !== "") known.set(`${kind} ${short}`, { kind, name: short });
  }
  return [...known.values()].slice(0, LISTED);
}

function sourceOf({
  source_format: id,
  source_text: text,
}: Payload): { format: Format; text: string } | null {
  const format = formatOf(id);
  return format !== null && typeof text === "string" ? { format, text } : null;
}
