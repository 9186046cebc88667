import * as z from "zod/mini";
import type { Finding } from "../scan/finding.ts";
import { archive, archiveAttribution } from "./archive.ts";
import { ASSET_TYPES, type Payload } from "./assets.ts";
import type { Warning } from "./import-warnings.ts";
import { LICENSES } from "./license.ts";
import type { Redaction } from "./redact/index.ts";

/*
 * What the hub's functions answer with 2xx. The document of the API is made from these contracts, and tests check every answer
 * against it. No function loads this file: what it answers needs no parsing.
 */

const time = z.iso.datetime({ offset: true });
const count = z.int().check(z.minimum(0));
const texts = z.array(z.string());
const license = z.enum(LICENSES);
const assetType = z.enum(ASSET_TYPES);
const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const payload: z.ZodMiniType<Payload> = z.record(z.string(), z.unknown());

/** The type is that of core, checked by the compiler. */
export const finding = z.object({
  rule: z.string(),
  severity: z.enum(["high", "medium", "low"]),
  line: z.int().check(z.minimum(1)),
  column: z.int().check(z.minimum(1)),
  excerpt: z.string(),
  path: z.string(),
}) satisfies z.ZodMiniType<Finding & { path: string }>;

export const redaction = z.object({ path: z.string(), rule: z.string() }) satisfies z.ZodMiniType<Redaction>;

/** Where content comes from, as it is stored: without names of creators. */
const storedOrigin = z.object({
  id: z.guid(),
  title: z.string(),
  slug: z.string(),
  creator_id: z.nullable(z.guid()),
  license,
  version: count,
  // Older rows have no such member.
  remix_depth: z.optional(count),
});
const claimed = { title: z.string(), creator: z.nullable(z.string()), license: z.optional(license) };
export const storedAttribution = z.object({
  root: z.optional(storedOrigin),
  parent: z.optional(storedOrigin),
  via: z.optional(z.array(storedOrigin)),
  claimed: z.optional(
    z.object({
      ...claimed,
      root: z.optional(z.object(claimed)),
      via: z.optional(z.array(z.object(claimed))),
    }),
  ),
});

/** A row of hub_assets as its owner sees it. */
export const listing = z.object({
  id: z.guid(),
  asset_type: assetType,
  ref_id: z.guid(),
  creator_id: z.nullable(z.guid()),
  slug: z.string(),
  title: z.string(),
  description: z.nullable(z.string()),
  tags: texts,
  thumbnail_url: z.nullable(z.string()),
  source_asset_id: z.nullable(z.guid()),
  parent_asset_id: z.nullable(z.guid()),
  remix_depth: count,
  is_public: z.boolean(),
  published_at: z.nullable(time),
  is_hidden: z.boolean(),
  license,
  price_cents: count,
  payment_product_id: z.nullable(z.string()),
  install_count: count,
  star_count: count,
  created_at: time,
  updated_at: time,
  current_version: count,
  attribution: z.nullable(storedAttribution),
  hidden_reason: z.nullable(z.string()),
  hidden_at: z.nullable(time),
  hidden_by_ban: z.boolean(),
  content_updated_at: z.nullable(time),
  deleted_at: z.nullable(time),
  is_visible: z.boolean(),
});

const published = {
  version: count,
  permalink: z.string(),
  redactions: z.array(redaction),
  findings: z.array(finding),
};

export const publishAnswer = z.object({ asset: listing, ...published });

/** What only a real publication has is missing: times, and of a new listing its id. */
const { id, created_at, updated_at, published_at, content_updated_at, ...settled } = listing.shape;

export const publishPreview = z.object({
  asset: z.object({
    ...settled,
    id: z.optional(id),
    created_at: z.optional(created_at),
    published_at: z.optional(published_at),
  }),
  ...published,
  payload,
  sha256,
  license,
  scan: z.nullable(z.object({ overridden: z.boolean(), findings: z.array(finding) })),
  items: z.array(
    z.object({
      position: count,
      asset_type: assetType,
      ref_id: z.guid(),
      title: z.string(),
      payload,
      sha256,
      license,
      attribution: z.nullable(storedAttribution),
    }),
  ),
  dry_run: z.literal(true),
});

export const warning = z.object({
  code: z.enum([
    "scan_overridden",
    "newer_version",
    "credit_required",
    "platform_only",
    "models_needed",
    "keys_needed",
    "hosts_contacted",
    "lineage_claimed",
    "name_taken",
  ]),
  message: z.string(),
  titles: z.optional(texts),
  credits: z.optional(z.array(z.object({ title: z.string(), creator: z.nullable(z.string()) }))),
  models: z.optional(texts),
  keys: z.optional(texts),
  hosts: z.optional(texts),
  findings: z.optional(z.array(finding)),
  current_version: z.optional(count),
  wanted: z.optional(z.string()),
  title: z.optional(z.string()),
}) satisfies z.ZodMiniType<Pick<Warning, "code" | "message">>;

/** The import into an account. The ids of a dry run are null: its rows were never there. */
export const cloudImport = z.object({
  stored: z.literal("cloud"),
  created: z.array(
    z.object({
      asset_type: assetType,
      table: z.string(),
      id: z.nullable(z.guid()),
      hub_asset_id: z.nullable(z.guid()),
      title: z.string(),
    }),
  ),
  attribution: z.nullable(archiveAttribution),
  warnings: z.array(warning),
  dry_run: z.optional(z.literal(true)),
});

/** The import without an account: the file. */
export const localImport = z.object({
  stored: z.literal("local"),
  document: archive,
  warnings: z.array(warning),
  dry_run: z.optional(z.literal(true)),
});

/** What is still shown of a deleted listing; of one that moderation had hidden only `deleted`. */
export const tombstone = z.object({
  deleted: z.literal(true),
  id: z.optional(z.guid()),
  slug: z.optional(z.string()),
  asset_type: z.optional(assetType),
  title: z.optional(z.string()),
  license: z.optional(license),
  creator: z.nullish(z.object({ username: z.string(), avatar_url: z.nullable(z.string()) })),
  remix_depth: z.optional(count),
  attribution: z.nullish(z.record(z.string(), z.unknown())),
});
