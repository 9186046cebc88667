import * as z from "zod/mini";
import { ASSET_TYPES } from "../assets.ts";
import { LICENSES } from "../license.ts";

export const assetType = z.enum(ASSET_TYPES);
export const license = z.enum(LICENSES);

export const creator = z.strictObject({
  username: z.string(),
  avatar_url: z.nullable(z.string()),
  verified: z.boolean(),
});

const cardColumns = {
  id: z.guid(),
  slug: z.string(),
  asset_type: assetType,
  title: z.string(),
  description: z.nullable(z.string()),
  tags: z.array(z.string()),
  thumbnail_url: z.nullable(z.string()),
  /** The SHA-256 of the picture that the owner uploaded; null if there is none. */
  picture: z.nullable(z.string()),
  license,
  /** The price in the minor unit of the currency; 0 for a free listing. */
  price_cents: z.int(),
  currency: z.nullable(z.string()),
  creator: z.nullable(creator),
  install_count: z.int(),
  star_count: z.int(),
  published_at: z.nullable(z.string()),
  content_updated_at: z.nullable(z.string()),
  remix_depth: z.int(),
};

/** A listing as galleries show it. */
export const card = z.strictObject(cardColumns);

/** A row of the view hub_listings. */
export const listingRow = z.extend(card, { version: z.int() });

/** The answers of hub_trending and hub_featured_assets. */
export const cardList = z.strictObject({ items: z.array(card) });
