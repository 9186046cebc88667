// The data layer of the pages uses @keyhub/hub with plain fetch, as a guest.
import { type Asset, createHub, type Hub, type License, type Payload } from "@keyhub/hub/source";

export type {
  AssetAnswer,
  AssetType,
  BundleItem,
  Card,
  Categories,
  Creator,
  CreatorCard,
  CreatorList,
  CreatorPage,
  FacetedPage,
  Facets,
  Finding,
  Hub,
  License,
  RemixPage,
  SearchPage,
  SearchRequest,
  ShownAttribution,
  ShownOrigin,
  Tombstone,
} from "@keyhub/hub/source";
export { HubError, pictureUrl } from "@keyhub/hub/source";

/** A listing that the caller may see. `payload` is never null; it is empty for a paid listing that the caller has not bought. */
export interface Listing extends Asset {
  version: number;
  version_license: License;
  payload: Payload;
}

/** The calls of the hub that pages use. */
export type HubReader = Pick<
  Hub,
  | "search"
  | "asset"
  | "trending"
  | "featured"
  | "categories"
  | "creator"
  | "creators"
  | "remixes"
  | "contact"
  | "versions"
>;

export interface ReaderOptions {
  /** The address of the Supabase project, such as `https://<ref>.supabase.co`. */
  url: string;
  publishableKey: string;
  fetch?: typeof fetch;
  /** The time in milliseconds after which a request without an answer fails. */
  timeout?: number;
}

export function createReader({
  url,
  publishableKey,
  fetch = globalThis.fetch,
  timeout = 8_000,
}: ReaderOptions): HubReader {
  return createHub({
    url,
    key: publishableKey,
    fetch: (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(timeout) }),
  });
}
