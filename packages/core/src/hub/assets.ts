import type { Fault } from "../problem.ts";
import { ASSET_TYPES, ASSETS, type AssetType, columnsOfType, SOURCE_BYTES } from "./asset-types.ts";

export { ASSET_TYPES, ASSETS, type AssetType, SOURCE_BYTES };

/**
 * Limits of a kit: the number of items, the bytes of all items together, and the bytes of its components together. All components of a kit
 * together may only be as large as one component, because the process serves no other request while it scans their sources.
 */
export const BUNDLE = { items: 50, bytes: 5 * 1024 * 1024, componentBytes: ASSETS.component.bytes } as const;

export type Payload = Record<string, unknown>;

/** Returns a source row as it is published, before redaction: copies of the allowed columns. Optional columns are left out if null. */
export function snapshot(assetType: AssetType, row: Readonly<Record<string, unknown>>): Payload {
  const payload: Payload = {};
  for (const { column, name, isOptional } of columnsOfType(assetType)) {
    const value = (Object.hasOwn(row, column) ? row[column] : null) ?? null;
    if (value !== null || !isOptional) payload[name] = structuredClone(value);
  }
  return payload;
}

/** Returns a payload as columns of the source table, for an import. Unknown members are left out. */
export function columnsOf(assetType: AssetType, payload: Readonly<Payload>): Payload {
  const columns: Payload = {};
  for (const { column, name } of columnsOfType(assetType)) {
    if (Object.hasOwn(payload, name)) columns[column] = structuredClone(payload[name]);
  }
  return columns;
}

/** Returns the size of a value as UTF-8 JSON, in bytes. */
export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value) ?? "").byteLength;
}

/** Returns the fault of a payload that is too large for its type, or null. `source_text` is measured alone, against SOURCE_BYTES. */
export function payloadSizeFault(assetType: AssetType, payload: unknown, path = "payload"): Fault | null {
  const { bytes } = ASSETS[assetType];
  const { source_text: source, ...own } = Object(payload) as Payload;
  if (typeof source === "string" && new TextEncoder().encode(source).byteLength > SOURCE_BYTES) {
    const message = `must be at most ${SOURCE_BYTES / 1024} KB of text`;
    return { path: `${path}.source_text`, code: "too_big", message };
  }
  if (jsonBytes(own) <= bytes) return null;
  return { path, code: "too_big", message: `must be at most ${bytes / 1024} KB as JSON` };
}

/** Returns the faults of the items of a kit: too many, or too large together. */
export function bundleFaults(items: readonly { asset_type: AssetType; payload: unknown }[]): Fault[] {
  const faults: Fault[] = [];
  if (items.length > BUNDLE.items) {
    faults.push({ path: "items", code: "too_big", message: `must be at most ${BUNDLE.items} items` });
  }
  const bytesOf = (some: typeof items) => some.reduce((sum, { payload }) => sum + jsonBytes(payload), 0);
  if (bytesOf(items) > BUNDLE.bytes) {
    faults.push({
      path: "items",
      code: "too_big",
      message: `must be at most ${BUNDLE.bytes / 1024 / 1024} MB together`,
    });
  } else if (bytesOf(items.filter(({ asset_type }) => asset_type === "component")) > BUNDLE.componentBytes) {
    const message = `must have at most ${BUNDLE.componentBytes / 1024} KB of components together`;
    faults.push({ path: "items", code: "too_big", message });
  }
  return faults;
}

/** Returns the path of a listing's page, which never changes. */
export function permalink(assetType: AssetType, slug: string): string {
  return `/hub/${ASSETS[assetType].page}/${slug}`;
}

/** Pages of an organization other than its shelf. */
const ORGANIZATION_PAGES = ["members", "reported"];

/**
 * Returns the address of a shared listing for members, below its organization's shelf. If
 * the slug is also the name of a page there, the address has the id instead.
 */
export function shelfLink(
  organization: string,
  { slug, id = slug }: { slug: string; id?: string | undefined },
): string {
  return `/orgs/${organization}/${encodeURIComponent(ORGANIZATION_PAGES.includes(slug) ? id : slug)}`;
}
