import * as z from "zod/mini";
import { assetType, card, creator, license } from "./card.ts";
import { organization } from "./organization.ts";
import { scan } from "./scan.ts";

/** A work that a copy comes from, as the work was when the copy was made. */
export const origin = z.strictObject({
  id: z.guid(),
  title: z.string(),
  slug: z.string(),
  creator_id: z.nullable(z.guid()),
  license,
  version: z.int(),
  remix_depth: z.optional(z.int()),
  /** Only for a version that was shared in an organization: its readers are the members of this organization. */
  organization_id: z.optional(z.guid()),
});

const said = { title: z.string(), creator: z.nullable(z.string()), license: z.optional(license) };

/** The origin that an unverified file claims. */
export const claim = z.strictObject({
  ...said,
  root: z.optional(z.strictObject(said)),
  via: z.optional(z.array(z.strictObject(said))),
});

/** The attribution of a copy as it is stored: with the ids of creators, without their names. */
export const lineage = z.strictObject({
  root: z.optional(origin),
  parent: z.optional(origin),
  via: z.optional(z.array(origin)),
  claimed: z.optional(claim),
});

/** An origin with its creator's current name, and whether it can still be opened. */
export const shownOrigin = z.extend(z.omit(origin, { creator_id: true, organization_id: true }), {
  creator: z.nullable(creator),
  available: z.boolean(),
  deleted: z.boolean(),
});

/** The works that an asset was made from, with their creators' names. `text` is a sentence about the original, ready to show. */
export const shownAttribution = z.strictObject({
  root: z.nullable(shownOrigin),
  parent: z.nullable(shownOrigin),
  via: z.optional(z.array(shownOrigin)),
  claimed: z.optional(claim),
  text: z.string(),
});

export const payload = z.record(z.string(), z.unknown());

/** The members that an item of a kit has both on a listing and in the preview of a publication. */
export const bundleContent = {
  asset_type: assetType,
  ref_id: z.guid(),
  title: z.string(),
  payload,
  sha256: z.string(),
  license,
};

export const bundleItem = z.strictObject({
  ...bundleContent,
  lineage: z.nullable(lineage),
  attribution: z.nullable(shownAttribution),
});

/**
 * The answer of hub_asset: a listing with the content of one version. There is no content if
 * the listing has no version that the caller may read.
 */
export const asset = z.extend(card, {
  deleted: z.literal(false),
  is_visible: z.boolean(),
  /** The organization on whose shelf the listing is or last was; null if there is none, or if the caller is not one of its members. */
  organization: z.nullable(organization),
  /** The organization whose members alone may read this version; null if the version is not limited to an organization. */
  version_organization_id: z.nullable(z.guid()),
  /** The text that everybody may read of a paid listing. */
  teaser: z.nullable(z.string()),
  /** True if the caller may read the content. */
  readable: z.boolean(),
  creator_id: z.nullable(z.guid()),
  source_asset_id: z.nullable(z.guid()),
  parent_asset_id: z.nullable(z.guid()),
  remix_count: z.int(),
  lineage: z.nullable(lineage),
  attribution: z.nullable(shownAttribution),
  current_version: z.int(),
  versions: z.array(
    z.strictObject({
      ...{ version: z.int(), license, created_at: z.string() },
      ...{ label: z.nullable(z.string()), yanked: z.boolean() },
    }),
  ),
  version: z.nullable(z.int()),
  version_license: z.nullable(license),
  label: z.nullable(z.string()),
  changelog: z.nullable(z.string()),
  yanked: z.nullable(z.boolean()),
  yank_reason: z.nullable(z.string()),
  payload: z.nullable(payload),
  sha256: z.nullable(z.string()),
  scan: z.nullable(scan),
  items: z.array(bundleItem),
});

/** The answer of hub_asset for a deleted listing. */
export const tombstone = z.strictObject({
  id: z.guid(),
  slug: z.string(),
  asset_type: assetType,
  title: z.string(),
  license,
  creator: z.nullable(creator),
  remix_depth: z.int(),
  attribution: z.nullable(shownAttribution),
  deleted: z.literal(true),
});

/** The answer of hub_asset for a listing that moderation hid before it was deleted. */
export const bareTombstone = z.strictObject({ deleted: z.literal(true) });

export const assetAnswer = z.union([asset, tombstone, bareTombstone]);

/** The answer of hub_versions, newest first. If `readable` is true, hub_asset returns the content of the version to the caller. */
export const versions = z.array(
  z.strictObject({
    version: z.int(),
    label: z.nullable(z.string()),
    changelog: z.nullable(z.string()),
    license,
    sha256: z.nullable(z.string()),
    published_at: z.string(),
    yanked: z.boolean(),
    yank_reason: z.nullable(z.string()),
    readable: z.boolean(),
  }),
);

/** The answer of hub_remixes: a page of remixes. `direct` remixes were made from the listing itself, the others from its remixes. */
export const remixPage = z.strictObject({
  items: z.array(z.extend(card, { direct: z.boolean(), parent_asset_id: z.nullable(z.guid()) })),
  next_cursor: z.nullable(z.string()),
});

const copy = { id: z.guid(), asset_type: assetType, ref_id: z.guid(), title: z.string() };
const source = { id: z.guid(), slug: z.string(), title: z.string(), version: z.int() };

/** An element of the answer of hub_updates: one of the caller's copies, and what happened to the listing that the copy comes from. */
export const update = z.union([
  z.strictObject({
    kind: z.literal("newer_version"),
    ...copy,
    source: z.strictObject({
      ...source,
      current_version: z.int(),
      label: z.nullable(z.string()),
      changelog: z.nullable(z.string()),
    }),
  }),
  z.strictObject({
    kind: z.literal("yanked"),
    ...copy,
    source: z.strictObject({ ...source, current_version: z.int(), reason: z.nullable(z.string()) }),
  }),
  z.strictObject({
    kind: z.enum(["malicious_code", "removed"]),
    ...copy,
    source: z.strictObject(source),
  }),
]);

export const updates = z.array(update);

/** The answer of hub_restore_copy: the copy whose overwritten content is back, and the version that this content comes from. */
export const restoredCopy = z.strictObject({ ...copy, version: z.int() });
