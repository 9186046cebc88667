import * as z from "zod/mini";
import { assetType, license } from "./card.ts";
import { bundleContent, lineage, payload } from "./listing.ts";
import { finding, scan } from "./scan.ts";

/** A row of hub_assets, which shows the listing as its creator sees it. */
export const assetRow = z.strictObject({
  id: z.guid(),
  asset_type: assetType,
  ref_id: z.guid(),
  creator_id: z.nullable(z.guid()),
  slug: z.string(),
  title: z.string(),
  description: z.nullable(z.string()),
  tags: z.array(z.string()),
  thumbnail_url: z.nullable(z.string()),
  picture: z.nullable(z.string()),
  license,
  price_cents: z.int(),
  currency: z.nullable(z.string()),
  teaser: z.nullable(z.string()),
  payment_product_id: z.nullable(z.string()),
  source_asset_id: z.nullable(z.guid()),
  parent_asset_id: z.nullable(z.guid()),
  remix_depth: z.int(),
  attribution: z.nullable(lineage),
  is_public: z.boolean(),
  is_hidden: z.boolean(),
  hidden_by_ban: z.boolean(),
  hidden_reason: z.nullable(z.string()),
  hidden_at: z.nullable(z.string()),
  is_visible: z.boolean(),
  organization_id: z.nullable(z.guid()),
  shared_at: z.nullable(z.string()),
  is_shared: z.boolean(),
  pinned_version: z.nullable(z.int()),
  install_count: z.int(),
  star_count: z.int(),
  current_version: z.int(),
  published_at: z.nullable(z.string()),
  deleted_at: z.nullable(z.string()),
  created_at: z.string(),
  updated_at: z.string(),
  content_updated_at: z.nullable(z.string()),
});

/** The answer of hub_picture, with the bytes in base64. */
export const ownPicture = z.strictObject({ media_type: z.string(), bytes: z.string() });

/** The answer of hub-picture: the id of the listing and the SHA-256 of its current picture, or null if it has none. */
export const setPicture = z.strictObject({ id: z.guid(), picture: z.nullable(z.string()) });

const outcome = {
  version: z.int(),
  label: z.nullable(z.string()),
  changelog: z.nullable(z.string()),
  permalink: z.string(),
  /**
   * The slug of an older listing of another creator with the same content, whose license allows this publication; null if there is none.
   */
  same_as: z.nullable(z.string()),
  /** The places of removed secrets, each with the redaction rule that found the secret. */
  redactions: z.array(z.strictObject({ path: z.string(), rule: z.string() })),
  findings: z.array(finding),
};

/** The answer of hub-publish. */
export const published = z.strictObject({ asset: assetRow, ...outcome });

/**
 * The answer of hub-publish with dry_run: the whole content that would become public, without the members that only a real publication has.
 */
export const preview = z.strictObject({
  asset: z.extend(z.omit(assetRow, { updated_at: true, content_updated_at: true, shared_at: true }), {
    id: z.optional(z.guid()),
    created_at: z.optional(z.string()),
    published_at: z.optional(z.nullable(z.string())),
  }),
  ...outcome,
  /** Places that may hold a secret although no name marks it, such as a long random word. */
  hints: z.array(z.strictObject({ path: z.string(), reason: z.enum(["random_word"]) })),
  payload,
  sha256: z.string(),
  license,
  scan: z.nullable(scan),
  items: z.array(
    z.strictObject({
      position: z.int(),
      ...bundleContent,
      attribution: z.nullable(lineage),
    }),
  ),
  dry_run: z.literal(true),
});
