import type {
  AssetAnswer,
  AssetType,
  CardList,
  Categories,
  CreatorList,
  CreatorPage,
  FacetedPage,
  ListingRow,
  OwnPicture,
  RemixPage,
  SearchPage,
  SearchRequest,
  Updates,
  Versions,
} from "./answers.ts";
import type { HubCalls } from "./calls.ts";

/** Selects and sorts rows of hub_listings. */
export interface ListingsRequest {
  ids?: readonly string[];
  slugs?: readonly string[];
  types?: readonly AssetType[];
  order?: "published_at" | "content_updated_at" | "star_count" | "install_count" | "title";
  ascending?: boolean;
  offset?: number;
  /** At most 1,000; default 24. */
  limit?: number;
}

export interface Reading {
  /** Visible listings by words and filters, page by page; with `facets` also counts of the result for a sidebar. */
  search(request: SearchRequest & { facets: true }): Promise<FacetedPage>;
  search(request?: SearchRequest): Promise<SearchPage>;
  /** One listing with the content of its current or another version; for a deleted one, its tombstone (`deleted`). */
  asset(idOrSlug: string, options?: { version?: number }): Promise<AssetAnswer>;
  /** Most installed, starred and remixed in seven days. */
  trending(options?: { page_size?: number }): Promise<CardList>;
  /** The curated collection. */
  featured(): Promise<CardList>;
  /** The suggested tags with their counts. */
  categories(): Promise<Categories>;
  /** A creator's profile, totals and first page; `search({ creator, cursor })` goes on. */
  creator(username: string): Promise<CreatorPage>;
  /** The directory: creators with listings, by installs unless `sort` says otherwise; `q` is looked for in both names. */
  creators(options?: {
    q?: string;
    sort?: "most_installed" | "most_starred" | "newest";
    cursor?: string | null;
    page_size?: number;
  }): Promise<CreatorList>;
  /** What the creators whom the caller follows have published, the newest first. */
  following(options?: { cursor?: string | null; page_size?: number }): Promise<SearchPage>;
  /** The remixes of a listing. */
  remixes(assetId: string, options?: { cursor?: string | null }): Promise<RemixPage>;
  /** The newest 100 versions of a listing, the newest first, with labels and changelogs. */
  versions(idOrSlug: string): Promise<Versions>;
  /** The picture of a listing that the caller may see, by the `picture` of its card; null where it has another one by now. */
  picture(assetId: string, sha256: string): Promise<OwnPicture | null>;
  /** The caller's copies whose source has a newer version or was found to be harmful. */
  updates(): Promise<Updates>;
  /** An https or mailto address for whoever has no account and reports a work of theirs; null where the operators set none. */
  contact(): Promise<string | null>;
  /** Rows of the view hub_listings, for lists that no other call returns. */
  listings(request?: ListingsRequest): Promise<ListingRow[]>;
}

/** Where everybody sees the picture of a visible listing's card, in the project at that address; null for one without. */
export function pictureUrl(projectUrl: string, card: { id: string; picture: string | null }): string | null {
  const url = projectUrl.replace(/\/+$/, "");
  return card.picture && `${url}/functions/v1/hub-picture/${card.id}/${card.picture}`;
}

export function readingOf({ read, rows }: HubCalls): Reading {
  return {
    search: <Page>(request: SearchRequest = {}) => read<Page>("hub_search", request),
    asset: (id_or_slug, { version } = {}) => read("hub_asset", { id_or_slug, version }),
    trending: ({ page_size } = {}) => read("hub_trending", { page_size }),
    featured: () => read("hub_featured_assets"),
    categories: () => read("hub_categories"),
    creator: (username) => read("hub_creator", { username }),
    creators: ({ q, sort, cursor, page_size } = {}) => read("hub_creators", { q, sort, cursor, page_size }),
    following: ({ cursor, page_size } = {}) => read("hub_following", { cursor, page_size }),
    remixes: (asset_id, { cursor } = {}) => read("hub_remixes", { asset_id, cursor }),
    versions: (id_or_slug) => read("hub_versions", { id_or_slug }),
    picture: (asset_id, sha256) => read("hub_picture", { asset_id, sha256 }),
    updates: () => read("hub_updates"),
    contact: async () => {
      const [row] = await rows<{ contact_url: string | null }[]>({
        ...{ table: "hub_settings", method: "select", columns: "contact_url" },
      });
      return row?.contact_url ?? null;
    },
    listings: ({ ids, slugs, types, order = "published_at", ascending = false, offset, limit = 24 } = {}) =>
      rows({
        table: "hub_listings",
        method: "select",
        // The view has what a listing row has, and nothing else.
        columns: "*",
        where: { id: ids, slug: slugs, asset_type: types },
        order: { column: order, ascending },
        offset,
        limit,
      }),
  };
}
