import * as z from "zod/mini";
import { type Parsed, refused, strictFaultsOf } from "../faults.ts";
import type { Fault } from "../problem.ts";
import {
  ASSET_TYPES,
  type AssetType,
  BUNDLE,
  bundleFaults,
  type Payload,
  payloadSizeFault,
} from "./assets.ts";
import { contentHash } from "./canonical.ts";
import { characters } from "./characters.ts";
import { LISTING } from "./contract.ts";
import { hostileFaults, JSON_DEPTH } from "./json-limits.ts";
import { LICENSES } from "./license.ts";
import { VIA_LIMIT } from "./lineage.ts";
import { payloadFaults } from "./payload.ts";
import { normaliseTags, TAGS } from "./tags.ts";

const name = z.string().check(z.minLength(1), z.maxLength(400));
const count = z.int().check(z.minimum(0), z.maximum(2_147_483_647));
const license = z.enum(LICENSES);

export const archiveOrigin = z.strictObject({
  id: z.guid(),
  title: name,
  slug: name,
  creator: z.nullable(name),
  creator_id: z.nullable(z.guid()),
  license,
  version: count,
  remix_depth: count,
});

const claimed = { title: name, creator: z.nullable(name), license: z.optional(license) };
const claims = z.array(z.strictObject(claimed)).check(z.maxLength(VIA_LIMIT));

export const archiveAttribution = z.strictObject({
  root: z.optional(archiveOrigin),
  parent: z.optional(archiveOrigin),
  via: z.optional(z.array(archiveOrigin).check(z.maxLength(VIA_LIMIT))),
  claimed: z.optional(
    z.strictObject({ ...claimed, root: z.optional(z.strictObject(claimed)), via: z.optional(claims) }),
  ),
});

const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const payload = z.record(z.string(), z.unknown());

export const archiveItem = z.strictObject({
  asset_type: z.enum(ASSET_TYPES),
  ref_id: z.guid(),
  title: z.string(),
  payload,
  license,
  attribution: z.nullable(archiveAttribution),
  sha256,
});

export const archive = z.strictObject({
  format: z.literal("keyhub.asset"),
  format_version: z.literal(1),
  asset_type: z.enum(ASSET_TYPES),
  title: z.string(),
  description: z.nullable(z.string()),
  tags: z.array(z.string()),
  license,
  payload,
  items: z.array(archiveItem),
  attribution: z.nullable(archiveAttribution),
  sha256,
});

/**
 * An asset as a file of Keyhub, which only writeArchive and readArchive write and read. `sha256` is the hash of the payload in
 * RFC 8785 form, and each item has a hash of its own. An import trusts none of these hashes: it computes them again (hashesOf).
 */
export type Archive = z.infer<typeof archive>;
export type ArchiveItem = z.infer<typeof archiveItem>;
export type ArchiveAttribution = z.infer<typeof archiveAttribution>;

/** The deepest nesting of a file: a payload may be JSON_DEPTH deep, and three levels enclose it (the file, `items`, the item). */
const ARCHIVE_DEPTH = JSON_DEPTH + 3;

/** Writes an asset as a file. Refuses everything that `readArchive` would refuse. */
export function writeArchive(asset: Omit<Archive, "format" | "format_version">): Parsed<Archive> {
  return readArchive({ format: "keyhub.asset", format_version: 1, ...asset });
}

/** Reads a file. Returns it, or its faults (at most 100) with paths that begin with `at`. No fault repeats content of the file. */
export function readArchive(input: unknown, at = ""): Parsed<Archive> {
  const hostile = hostileFaults(knownMembers(input), at, ARCHIVE_DEPTH);
  if (hostile.length > 0) return { ok: false, faults: hostile };
  const long = longLists(input);
  if (long.length > 0) return refused(below(at, long));
  const parsed = z.safeParse(archive, input);
  if (!parsed.success) return refused(below(at, strictFaultsOf(parsed.error.issues, input)));

  const { data } = parsed;
  const faults: Fault[] = [];
  const title = readTitle(data.title, "title", faults);
  const description = data.description?.trim() || null;
  if (characters(description ?? "", LISTING.description) > LISTING.description) {
    const message = `must be at most ${LISTING.description} characters`;
    faults.push({ path: "description", code: "too_big", message });
  }
  const tags = normaliseTags(data.tags);
  if (!tags.ok) for (const fault of tags.faults) faults.push(fault);
  checkPayload(data.asset_type, data.payload, "payload", faults);
  checkItems(data, faults);
  const items = data.items.map((one, i) => ({
    ...one,
    ref_id: one.ref_id.toLowerCase(),
    title: readTitle(one.title, `items.${i}.title`, faults),
  }));
  if (faults.length > 0 || !tags.ok) return refused(below(at, faults));
  return { ok: true, value: { ...data, title, description, tags: tags.value, items } };
}

/** Returns the hashes of the file's actual content, not the hashes that the file claims. */
export async function hashesOf({ payload, items }: Pick<Archive, "payload" | "items">) {
  return {
    payload: await contentHash(payload),
    items: await Promise.all(items.map((one) => contentHash(one.payload))),
  };
}

/** Leaves out unknown members: the contract refuses them by name. `__proto__` stays, so that hostileFaults refuses it as a key. */
function knownMembers(input: unknown): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return null;
  return Object.fromEntries(
    Object.entries(input).filter(([key]) => Object.hasOwn(archive.shape, key) || key === "__proto__"),
  );
}

/**
 * Returns the faults of too long lists, before their elements are checked. Five times TAGS.count tags pass here, because normaliseTags
 * removes repeated tags before it applies the limit.
 */
function longLists(input: unknown): Fault[] {
  const { items, tags } = Object(input) as Record<string, unknown>;
  const fault = (path: string, list: unknown, limit: number): Fault[] =>
    Array.isArray(list) && list.length > limit
      ? [{ path, code: "too_big", message: `must be at most ${limit} ${path}` }]
      : [];
  return [...fault("items", items, BUNDLE.items), ...fault("tags", tags, TAGS.count * 5)];
}

function below(at: string, faults: Fault[]): Fault[] {
  if (at === "") return faults;
  return faults.map((fault) => ({ ...fault, path: fault.path === "" ? at : `${at}.${fault.path}` }));
}

function readTitle(value: string, path: string, faults: Fault[]): string {
  const title = value.trim();
  const length = characters(title, LISTING.title);
  if (length < 1) faults.push({ path, code: "too_small", message: "must be at least 1 characters" });
  if (length > LISTING.title) {
    faults.push({ path, code: "too_big", message: `must be at most ${LISTING.title} characters` });
  }
  return title;
}

function checkPayload(assetType: AssetType, value: Payload, path: string, faults: Fault[]): void {
  const tooLarge = payloadSizeFault(assetType, value, path);
  // A payload that is too large is not checked further.
  if (tooLarge !== null) faults.push(tooLarge);
  else faults.push(...hostileFaults(value, path), ...payloadFaults(assetType, value, path));
}

function checkItems({ asset_type: assetType, items }: Archive, faults: Fault[]): void {
  if (items.length > 0 && assetType !== "orchestration") {
    faults.push({ path: "items", code: "not_allowed", message: "is only allowed for an orchestration" });
  }
  faults.push(...bundleFaults(items));
  const seen = new Set<string>();
  for (const [i, one] of items.entries()) {
    checkPayload(one.asset_type, one.payload, `items.${i}.payload`, faults);
    const key = `${one.asset_type} ${one.ref_id.toLowerCase()}`;
    if (seen.has(key)) faults.push({ path: `items.${i}`, code: "repeated", message: "appears twice" });
    seen.add(key);
  }
}
