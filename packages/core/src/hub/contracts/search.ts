import * as z from "zod/mini";
import { assetType, card, license } from "./card.ts";

export const searchSort = z.enum([
  "newest",
  "recently_updated",
  "most_installed",
  "most_starred",
  "relevance",
]);

export const cardinality = z.enum(["1to1", "1toN", "batch"]);

/** The arguments of hub_search. */
export const searchRequest = z.strictObject({
  q: z.optional(z.string()),
  types: z.optional(z.array(assetType)),
  tags: z.optional(z.array(z.string())),
  model: z.optional(z.string()),
  cardinality: z.optional(cardinality),
  license: z.optional(license),
  creator: z.optional(z.string()),
  sort: z.optional(searchSort),
  cursor: z.optional(z.nullable(z.string())),
  page_size: z.optional(z.int()),
});

const page = { items: z.array(card), next_cursor: z.nullable(z.string()) };

/** The answer of hub_search. */
export const searchPage = z.strictObject(page);

const countOf = <T extends z.ZodMiniType>(value: T) => z.array(z.strictObject({ value, count: z.int() }));

/** How many of the first thousand listings of a result have each value. `complete` is true if the result has no further listings. */
export const facets = z.strictObject({
  complete: z.boolean(),
  types: countOf(assetType),
  licenses: countOf(license),
  tags: countOf(z.string()),
  models: countOf(z.string()),
});

/** The answer of hub_search with facets. */
export const facetedPage = z.extend(searchPage, { facets });

/** The answer of hub_categories. */
export const categories = z.strictObject({
  items: z.array(z.strictObject({ tag: z.string(), kind: z.enum(["use-case", "domain"]), count: z.int() })),
});

/** A creator in the directory: profile and totals. */
export const creatorCard = z.strictObject({
  username: z.string(),
  display_name: z.nullable(z.string()),
  avatar_url: z.nullable(z.string()),
  verified: z.boolean(),
  member_since: z.string(),
  published_assets: z.int(),
  total_installs: z.int(),
  total_stars: z.int(),
});

/** The answer of hub_creators. */
export const creatorList = z.strictObject({
  items: z.array(creatorCard),
  next_cursor: z.nullable(z.string()),
});

/** The answer of hub_creator: profile, totals, and the first page of the listings. */
export const creatorPage = z.extend(creatorCard, page);
