import * as z from "zod/mini";
import { type Parsed, refused, strictFaultsOf } from "../faults.ts";
import type { Fault } from "../problem.ts";
import { ASSET_TYPES, type AssetType, BUNDLE } from "./assets.ts";
import type { ItemRef, Mode } from "./bundle.ts";
import { characters, hasBreaksOrInvisible, hasInvisibleCharacters } from "./characters.ts";
import { textFault } from "./json-limits.ts";
import { LICENSES, type License } from "./license.ts";
import { normaliseTags, TAGS } from "./tags.ts";

/** The greatest length of each text of a publication, and of its scan token, in characters. */
export const LISTING = {
  ...{ title: 120, description: 2000, thumbnailUrl: 2048, scanToken: 4096 },
  ...{ label: 32, changelog: 4000, teaser: 2000 },
} as const;

/** The lowest and the highest price, in the minor unit of the currency. */
export const PRICE = { least: 100, most: 100_000 } as const;

/** The most previews (`dry_run`) per user and hour. Previews of publications and of imports share this limit. */
export const PREVIEWS = { perHour: 600 } as const;

/** The limit of publications per user and hour, and how long a scan token is valid, in seconds. */
export const PUBLISHING = { perHour: 60, scanTokenSeconds: 900 } as const;

const item = z.strictObject({ asset_type: z.enum(ASSET_TYPES), ref_id: z.guid() });

export const publishRequest = z.strictObject({
  asset_type: z.enum(ASSET_TYPES),
  ref_id: z.guid(),
  title: z.string(),
  description: z.string(),
  tags: z.optional(z.array(z.string())),
  license: z.enum(LICENSES),
  thumbnail_url: z.nullish(z.string()),
  label: z.nullish(z.string()),
  changelog: z.nullish(z.string()),
  organization: z.nullish(z.string().check(z.minLength(1), z.maxLength(40))),
  price_cents: z.nullish(z.int().check(z.minimum(PRICE.least), z.maximum(PRICE.most))),
  currency: z.nullish(z.string().check(z.regex(/^[A-Z]{3}$/))),
  teaser: z.nullish(z.string()),
  mode: z.nullish(z.enum(["pipeline", "bundle"])),
  items: z.nullish(z.array(item)),
  scan_token: z.nullish(z.string().check(z.maxLength(LISTING.scanToken))),
  dry_run: z.nullish(z.boolean()),
});

/** The parsed body of hub-publish: texts are trimmed, tags normalised, and absent fields are null or have their default. */
export interface ParsedPublishRequest {
  assetType: AssetType;
  refId: string;
  title: string;
  description: string;
  tags: string[];
  /** The tags as they were sent. Redaction reads these, because some secrets cannot be recognized in lower case. */
  rawTags: string[];
  license: License;
  thumbnailUrl: string | null;
  /** The label of the version; null when it is empty. */
  label: string | null;
  changelog: string | null;
  /** The short name of the organization in which the listing is shared; null makes the listing public. */
  organization: string | null;
  /** Only for a paid listing; null for a free one. */
  offer: Offer | null;
  /** Only for an orchestration; null for other types. */
  mode: Mode | null;
  items: ItemRef[];
  scanToken: string | null;
  dryRun: boolean;
}

/** The price of a paid listing, and its teaser: the text that everybody may read instead of the content. */
export interface Offer {
  price_cents: number;
  /** Null means the currency of the platform. */
  currency: string | null;
  teaser: string;
}

/** Reads the body of hub-publish. Returns the request, or all faults (at most 100). Unknown fields (such as lineage) are refused. */
export function parsePublishRequest(body: unknown): Parsed<ParsedPublishRequest> {
  const input = body === undefined ? {} : body;
  // Too long lists are refused before their elements are checked. Five times TAGS.count tags pass, because readTags removes repeated tags.
  for (const [path, limit] of [
    ["items", BUNDLE.items],
    ["tags", TAGS.count * 5],
  ] as const) {
    const list = Object(input)[path];
    if (Array.isArray(list) && list.length > limit)
      return refused([{ path, code: "too_big", message: `must be at most ${limit} ${path}` }]);
  }
  const parsed = z.safeParse(publishRequest, input);
  const faults = parsed.success ? [] : strictFaultsOf(parsed.error.issues, input);
  const raw = (typeof input === "object" && input !== null ? input : {}) as Record<string, unknown>;

  // These rules read the raw body even if the contract found faults, so that one answer reports all faults.
  const title = readText(raw.title, "title", LISTING.title, faults);
  const description = readText(raw.description, "description", LISTING.description, faults);
  const label = readNote(raw.label, "label", faults);
  const changelog = readNote(raw.changelog, "changelog", faults);
  const offer = readOffer(raw, faults);
  const thumbnailUrl = readThumbnail(raw.thumbnail_url, faults);
  const tags = readTags(raw.tags, faults);
  const scanFault = typeof raw.scan_token === "string" ? textFault(raw.scan_token) : null;
  if (scanFault !== null) faults.push({ path: "scan_token", code: "invalid_text", message: scanFault });
  checkItems(raw, faults);
  if (!parsed.success || faults.length > 0) return refused(faults);

  const { data } = parsed;
  return {
    ok: true,
    value: {
      assetType: data.asset_type,
      refId: data.ref_id.toLowerCase(),
      title,
      description,
      tags,
      rawTags: data.tags ?? [],
      license: data.license,
      thumbnailUrl,
      label,
      changelog,
      organization: data.organization ?? null,
      offer,
      mode: data.asset_type === "orchestration" ? (data.mode ?? "bundle") : null,
      items: (data.items ?? []).map(({ asset_type, ref_id }) => ({
        asset_type,
        ref_id: ref_id.toLowerCase(),
      })),
      scanToken: data.scan_token ?? null,
      dryRun: data.dry_run ?? false,
    },
  };
}

/** Reads a text that must have 1 to `longest` characters after trimming. */
function readText(value: unknown, path: string, longest: number, faults: Fault[]): string {
  if (typeof value !== "string") return "";
  const text = value.trim();
  const length = characters(text, longest);
  const problem = textFault(text) ?? (length > longest ? null : invisibleFault(text, path));
  if (problem !== null) faults.push({ path, code: "invalid_text", message: problem });
  if (length === 0) faults.push({ path, code: "too_small", message: "must be at least 1 characters" });
  if (length > longest)
    faults.push({ path, code: "too_big", message: `must be at most ${longest} characters` });
  return text;
}

/** Reads an optional text. Returns null for an empty or absent text. */
function readNote(value: unknown, path: "label" | "changelog", faults: Fault[]): string | null {
  if (typeof value !== "string" || value.trim() === "") return null;
  return readText(value, path, LISTING[path], faults);
}

/** Reads price, currency and teaser. The license `paid` requires price and teaser; every other license forbids all three. */
function readOffer(raw: Record<string, unknown>, faults: Fault[]): Offer | null {
  const { license, price_cents, currency, teaser } = raw;
  if (license !== "paid") {
    for (const [path, value] of Object.entries({ price_cents, currency, teaser }))
      if (value !== undefined && value !== null)
        faults.push({ path, code: "not_allowed", message: "is only allowed with the license paid" });
    return null;
  }
  for (const [path, value] of Object.entries({ price_cents, teaser }))
    if (value === undefined || value === null)
      faults.push({ path, code: "required", message: "is required" });
  return {
    price_cents: Number(price_cents),
    currency: typeof currency === "string" ? currency : null,
    teaser: readText(teaser, "teaser", LISTING.teaser, faults),
  };
}

/** Returns the fault of invisible characters. A title and a label must be one line; the other texts may have several. */
function invisibleFault(text: string, path: string): string | null {
  if (path === "title" || path === "label")
    return hasBreaksOrInvisible(text) ? "must be one line without invisible characters" : null;
  return hasInvisibleCharacters(text) ? "must be without invisible characters" : null;
}

function readThumbnail(value: unknown, faults: Fault[]): string | null {
  if (typeof value !== "string") return null;
  const path = "thumbnail_url";
  if (value.length > LISTING.thumbnailUrl) {
    faults.push({ path, code: "too_big", message: `must be at most ${LISTING.thumbnailUrl} characters` });
    return null;
  }
  const url = textFault(value) === null && URL.canParse(value) ? new URL(value) : null;
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "" || /[\s\0]/.test(value)) {
    faults.push({
      path,
      code: "invalid_format",
      message: "must be an https address without user information",
    });
    return null;
  }
  return value;
}

function readTags(value: unknown, faults: Fault[]): string[] {
  if (!Array.isArray(value) || !value.every((tag) => typeof tag === "string")) return [];
  const tags = normaliseTags(value);
  if (!tags.ok) {
    faults.push(...tags.faults);
    return [];
  }
  for (const [i, tag] of tags.value.entries()) {
    if (!/\u200c|\u200d|\ufe0e|\ufe0f/.test(tag) && !hasBreaksOrInvisible(tag)) continue;
    faults.push({
      path: `tags.${i}`,
      code: "invalid_format",
      message: "must be without invisible characters",
    });
  }
  return tags.value;
}

/** Adds the faults of mode and items: only an orchestration may have them, and a kit may have at most BUNDLE.items items. */
function checkItems(raw: Record<string, unknown>, faults: Fault[]): void {
  const { asset_type: assetType, items, mode } = raw;
  if (Array.isArray(items) && items.length > BUNDLE.items) {
    faults.push({ path: "items", code: "too_big", message: `must be at most ${BUNDLE.items} items` });
  }
  if (assetType === "orchestration" || typeof assetType !== "string") return;
  for (const [path, given] of Object.entries({
    items: Array.isArray(items) && items.length > 0,
    mode: typeof mode === "string",
  })) {
    if (given) faults.push({ path, code: "not_allowed", message: "is only allowed for an orchestration" });
  }
}
