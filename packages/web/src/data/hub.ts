import type { Asset, Card, Category, CreatorPage, Page, Tombstone } from "./types.ts";

/** What the pages ask of the hub. */
export interface Hub {
  search(query: Record<string, unknown>): Promise<Page>;
  asset(idOrSlug: string, version?: number): Promise<Asset | Tombstone>;
  trending(pageSize: number): Promise<Card[]>;
  featured(): Promise<Card[]>;
  categories(): Promise<Category[]>;
  creator(username: string): Promise<CreatorPage>;
  remixes(assetId: string, cursor?: string): Promise<Page>;
}

/** An answer of the hub that is no success. `code` is its stable code; `unavailable` when there was no answer. */
export class HubError extends Error {
  override name = "HubError";
  readonly status: number;
  readonly code: string;
  readonly detail: string | null;

  constructor(status: number, code: string, detail: string | null) {
    super(code);
    this.status = status;
    this.code = code;
    this.detail = detail;
  }
}

export interface HubOptions {
  /** Of the Supabase project, such as `https://<ref>.supabase.co`. */
  url: string;
  publishableKey: string;
  fetch?: typeof fetch;
  /** Milliseconds until an answer counts as missing. */
  timeout?: number;
}

/** Reads as anon, by GET, so that a cache in between may answer. */
export function createHub(options: HubOptions): Hub {
  const { fetch = globalThis.fetch, timeout = 8_000 } = options;

  async function call<T>(name: string, args: Record<string, unknown> = {}): Promise<T> {
    const url = new URL(`rest/v1/rpc/${name}`, options.url.endsWith("/") ? options.url : `${options.url}/`);
    for (const [key, value] of Object.entries(args)) {
      if (value !== undefined) url.searchParams.set(key, asArgument(value));
    }
    let response: Response;
    let body: unknown;
    try {
      response = await fetch(url, {
        headers: { apikey: options.publishableKey, accept: "application/json" },
        signal: AbortSignal.timeout(timeout),
      });
      body = await response.json();
    } catch (error) {
      throw new HubError(503, "unavailable", error instanceof Error ? error.message : null);
    }
    if (response.ok) return body as T;
    const { message, details } = (body ?? {}) as { message?: unknown; details?: unknown };
    throw new HubError(
      response.status,
      typeof message === "string" ? message : "unknown",
      typeof details === "string" ? details : null,
    );
  }

  return {
    search: (query) => call("hub_search", query),
    asset: (idOrSlug, version) => call("hub_asset", { id_or_slug: idOrSlug, version }),
    trending: async (pageSize) => (await call<Page>("hub_trending", { page_size: pageSize })).items,
    featured: async () => (await call<Page>("hub_featured_assets")).items,
    categories: async () => (await call<{ items: Category[] }>("hub_categories")).items,
    creator: (username) => call("hub_creator", { username }),
    remixes: (assetId, cursor) => call("hub_remixes", { asset_id: assetId, cursor }),
  };
}

/** As PostgREST reads an argument in a query: a list in braces, its elements quoted. */
function asArgument(value: unknown): string {
  if (!Array.isArray(value)) return String(value);
  return `{${value.map((one) => `"${String(one).replace(/[\\"]/g, "\\$&")}"`).join(",")}}`;
}
