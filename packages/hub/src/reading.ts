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
  /** Searches visible listings by words and filters, by page. With `facets`, the answer also counts types, licenses, tags and models. */
  search(request: SearchRequest & { facets: true }): Promise<FacetedPage>;
  search(request?: SearchRequest): Promise<SearchPage>;
  /** Returns one listing with the content of its current or another version; for a deleted listing, its tombstone (`deleted`). */
  asset(idOrSlug: string, options?: { version?: number }): Promise<AssetAnswer>;
  /** Returns the listings that were most installed, starred and remixed in seven days. */
  trending(options?: { page_size?: number }): Promise<CardList>;
  /** Returns the curated collection. */
  featured(): Promise<CardList>;
  /** Returns the suggested tags with their counts. */
  categories(): Promise<Categories>;
  /** Returns a creator's profile, totals and first page; `search({ creator, cursor })` returns more pages. */
  creator(username: string): Promise<CreatorPage>;
  /** Returns creators with listings, sorted by installs or by `sort`. Searches for `q` in user names and display names. */
  creators(options?: {
    q?: string;
    sort?: "most_installed" | "most_starred" | "newest";
    cursor?: string | null;
    page_size?: number;
  }): Promise<CreatorList>;
  /** Returns the publications of creators whom the caller follows, the newest first. */
  following(options?: { cursor?: string | null; page_size?: number }): Promise<SearchPage>;
  /** Returns the remixes of a listing. */
  remixes(assetId: string, options?: { cursor?: string | null }): Promise<RemixPage>;
  /** Returns the newest 100 versions of a listing, the newest first, with labels and changelogs. */
  versions(idOrSlug: string): Promise<Versions>;
  /** Returns a picture of a listing that the caller may see; null if the owner has replaced it. `sha256` is the card's member `picture`. */
  picture(assetId: string, sha256: string): Promise<OwnPicture | null>;
  /** Returns news about copied works: a newer version, a yanked version, or a work that was removed or hidden for malicious code. */
  updates(): Promise<Updates>;
  /** Returns an https or mailto address where people without an account can report a copy of their work; null if it is not set. */
  contact(): Promise<string | null>;
  /** Returns rows of the view hub_listings, for lists that no other call returns. */
  listings(request?: ListingsRequest): Promise<ListingRow[]>;
}

/** Returns the address of a visible listing's picture in the project at `projectUrl`; null if the listing has no own picture. */
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
        // All columns, because the view has exactly the columns of a ListingRow.
        columns: "*",
        where: { id: ids, slug: slugs, asset_type: types },
        order: { column: order, ascending },
        offset,
        limit,
      }),
  };
}
