import { KEY_HEADERS, type KeyHeader } from "../rotate/key-places.ts";
import { PROVIDER_NAMES, providerOf } from "../rotate/providers.ts";
import { isLoopback, isPrivateHost } from "./address.ts";

/** The destination of the requests for a provider. */
export interface Upstream {
  /** The base URL of the provider; its path ends without a slash, unless the path is `/`. */
  base: URL;
  /** Where the key is sent; `query` means the parameter `key` of the query. */
  place: KeyHeader | "query";
}

/** Upstreams by the name of the provider, as in user_api_keys.provider. */
export type Upstreams = ReadonlyMap<string, Upstream>;

export interface UpstreamOptions {
  /** Allows base URLs on this machine, also with http. Only for development. */
  allowLoopback: boolean;
}

/** A provider's name, as lease requests write it. */
const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;
const PLACES: readonly string[] = [...KEY_HEADERS, "query"];

/**
 * Reads the providers that the gateway forwards to: those of the built-in table that have a fixed host. The operator's setting adds
 * and changes providers, and removes them with null. The setting is a JSON object: `{"openai": null, "mine": "https://llm.example.com/api",
 * "other": {"base_url": "https://…", "key_in": "x-api-key"}}`. Throws an error that names the wrong entry.
 */
export function readUpstreams(setting: string | undefined, options: UpstreamOptions): Upstreams {
  const upstreams = new Map<string, Upstream>();
  for (const name of PROVIDER_NAMES) {
    const { hosts, place } = providerOf(name) ?? { hosts: [], place: "authorization" as const };
    const host = hosts.find((one) => !one.startsWith("*"));
    if (host !== undefined) upstreams.set(name, { base: new URL(`https://${host}`), place });
  }
  for (const [name, value] of Object.entries(parseObject(setting))) {
    if (!NAME.test(name)) throw wrong(name, "is not the name of a provider");
    if (value === null) upstreams.delete(name);
    else upstreams.set(name, readUpstream(name, value, options));
  }
  return upstreams;
}

function parseObject(setting: string | undefined): Record<string, unknown> {
  if (setting === undefined || setting.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(setting);
  } catch {}
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error("KEYHUB_UPSTREAMS is not a JSON object");
  return value as Record<string, unknown>;
}

function readUpstream(name: string, value: unknown, { allowLoopback }: UpstreamOptions): Upstream {
  const { base_url, key_in, ...rest } = typeof value === "string" ? { base_url: value } : Object(value);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw wrong(name, `has a member ${unknown}; base_url and key_in are known`);
  const base = typeof base_url === "string" ? URL.parse(base_url) : null;
  if (base === null) throw wrong(name, "has no base_url that is a URL");
  const local = allowLoopback && isLoopback(base.hostname);
  if (base.protocol !== "https:" && !(local && base.protocol === "http:"))
    throw wrong(name, "has a base_url that is not https");
  if (base.username !== "" || base.password !== "" || base.search !== "" || base.hash !== "")
    throw wrong(name, "has a base_url with user info, query or fragment");
  if (!local && isPrivateHost(base.hostname)) throw wrong(name, "has a base_url at a private address");
  base.pathname = base.pathname.replace(/\/+$/, "");
  const place = key_in ?? providerOf(name)?.place ?? "authorization";
  if (!PLACES.includes(place)) throw wrong(name, `has a key_in that is none of ${PLACES.join(", ")}`);
  return { base, place };
}

function wrong(name: string, what: string): Error {
  return new Error(`KEYHUB_UPSTREAMS: ${JSON.stringify(name.slice(0, 63))} ${what}`);
}
