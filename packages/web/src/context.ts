import type { ComponentChildren } from "preact";
import type { AssetAnswer, HubReader, Listing } from "./data/hub.ts";
import type { Assets, Head } from "./parts/layout.tsx";

/** The data and functions for answering one request. */
export interface Context {
  request: Request;
  url: URL;
  /** The origin of the site, for absolute addresses. */
  origin: string;
  /** The address of the Supabase project. */
  api: string;
  hub: HubReader;
  assets: Assets;
  /** Draws an SVG as a PNG, which is cached under `name`. Rejects with NotDrawn if the SVG cannot be drawn. */
  draw(name: string, svg: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Returns the response with a whole page. */
  page(head: Head, body: ComponentChildren, options?: PageOptions): Response;
}

export interface PageOptions {
  status?: number;
  /** The text of the search field on top. */
  q?: string;
  /** The part of the site that the navigation marks as the current one. */
  section?: string;
  headers?: Record<string, string>;
}

/**
 * The error for a page that the caller may not see. Private, hidden and missing pages get the same answer, so nobody learns which it is.
 */
export class NotFound extends Error {
  override name = "NotFound";
}

/** Returns the listing if everybody may read it. Throws the same error for a hidden and for a missing listing. */
export function requireListing(asset: AssetAnswer): Listing {
  if (asset.deleted || !asset.is_visible) throw new NotFound();
  // A paid listing that the caller has not bought is shown without its content.
  if (asset.license === "paid" && !asset.readable)
    return { ...asset, version: asset.current_version, version_license: "paid", payload: {}, items: [] };
  if (asset.payload === null) throw new NotFound();
  return asset as Listing;
}

/** Reads `?version=3` or `?v=3`; anything else means the current version. */
export function versionOf(url: URL): { version?: number } {
  const text = url.searchParams.get("version") ?? url.searchParams.get("v") ?? "";
  return /^[1-9]\d{0,8}$/.test(text) ? { version: Number(text) } : {};
}
