import { ASSET_TYPES } from "./addresses.ts";
import type { AssetType, License, SearchRequest } from "./hub.ts";

export const SORTS = ["relevance", "newest", "most_installed", "most_starred", "recently_updated"] as const;
export type Sort = (typeof SORTS)[number];
export const CARDINALITIES = ["1to1", "1toN", "batch"] as const;
export const LICENSES = ["platform-free", "cc0", "cc-by", "paid"] as const satisfies readonly License[];

/** The search, the filters, the order and the page of a list, as the address of the list contains them. */
export interface ListQuery {
  q: string;
  types: AssetType[];
  tags: string[];
  model: string;
  cardinality: (typeof CARDINALITIES)[number] | "";
  license: License | "";
  creator: string;
  sort: Sort | "";
  cursor: string;
}

const NONE: ListQuery = {
  q: "",
  types: [],
  tags: [],
  model: "",
  cardinality: "",
  license: "",
  creator: "",
  sort: "",
  cursor: "",
};

export function emptyQuery(changes: Partial<ListQuery> = {}): ListQuery {
  return { ...NONE, ...changes };
}

/** Reads the state of a list from an address. It ignores unknown values, so that an old link still shows a list. */
export function readQuery(params: URLSearchParams): ListQuery {
  const one = (name: string, length = 200) => (params.get(name) ?? "").trim().slice(0, length);
  const among = <T extends string>(values: readonly T[], value: string): T | "" =>
    (values as readonly string[]).includes(value) ? (value as T) : "";
  return {
    // Keep blanks at the end: they mean that the last word is complete.
    q: (params.get("q") ?? "").slice(0, 500).replace(/\0/g, ""),
    types: ASSET_TYPES.filter((type) => params.getAll("type").includes(type)),
    tags: [
      ...new Set(
        params
          .getAll("tag")
          .flatMap((text) => text.split(/[\s,#]+/))
          .filter(Boolean),
      ),
    ].slice(0, 20),
    model: one("model"),
    cardinality: among(CARDINALITIES, one("cardinality")),
    license: among(LICENSES, one("license")),
    creator: one("creator"),
    sort: among(SORTS, one("sort")),
    cursor: one("cursor", 2_000),
  };
}

/** Returns the shortest address of a list: default values are not in it. */
export function addressOf(path: string, query: ListQuery): string {
  const params = new URLSearchParams();
  if (query.q.trim()) params.set("q", query.q);
  for (const type of query.types) params.append("type", type);
  for (const tag of query.tags) params.append("tag", tag);
  for (const name of ["model", "cardinality", "license", "creator", "sort", "cursor"] as const) {
    if (query[name]) params.set(name, query[name]);
  }
  const text = params.toString();
  return text ? `${path}?${text}` : path;
}

/** Returns whether the query differs from the default list, by words, a filter, an order or a page. */
export function isAsked(query: ListQuery): boolean {
  return addressOf("", query) !== "";
}

/** Returns the arguments of `hub_search`. A search without words cannot be ordered by relevance, so `relevance` is left out then. */
export function searchRequest(query: ListQuery): SearchRequest {
  const q = query.q.trim() ? query.q : undefined;
  const sort = query.sort === "relevance" && !q ? undefined : query.sort || undefined;
  return {
    q,
    types: query.types.length > 0 ? query.types : undefined,
    tags: query.tags.length > 0 ? query.tags : undefined,
    model: query.model || undefined,
    cardinality: query.cardinality || undefined,
    license: query.license || undefined,
    creator: query.creator || undefined,
    sort,
    cursor: query.cursor || undefined,
  };
}
