import { KEY_HEADERS } from "@keyhub/core/rotate";

/** The parts of a path of this function, `/keyhub-gateway/<provider>/<path…>`. The provider is in lower case; the rest is unchanged. */
export interface Address {
  provider: string;
  /** The path with its leading slash; empty when there is none. */
  rest: string;
  /** The query with its question mark; empty when there is none. */
  search: string;
}

const ADDRESS =
  /^[a-z]+:\/\/[^/?#]*(?:\/functions\/v1)?\/keyhub-gateway\/([A-Za-z0-9._-]+)(\/[^?#]*)?(\?[^#]*)?(?:#.*)?$/;

/**
 * Reads the address from the text of the URL. Parsing the URL would resolve `..`, which must stay visible so that it can be refused.
 * Returns null for a path of another form.
 */
export function readAddress(url: string): Address | null {
  const match = ADDRESS.exec(url);
  if (match === null) return null;
  const [, provider = "", rest = "", search = ""] = match;
  return { provider: provider.toLowerCase(), rest, search };
}

/**
 * Returns the token from any place where an SDK puts the key of its provider; `scheme` is the scheme of Authorization. Returns null when
 * there is no token.
 */
export function readToken(
  { headers }: Request,
  search: string,
): { token: string; scheme: string | null } | null {
  const found: { token: string; scheme: string | null }[] = [];
  for (const name of KEY_HEADERS) {
    const value = headers.get(name)?.trim();
    if (!value) continue;
    const [, scheme = null, token = value] = /^(?:([A-Za-z]+) +)?(\S+)$/.exec(value) ?? [];
    found.push({ token, scheme: name === "authorization" ? scheme : null });
  }
  for (const token of new URLSearchParams(search).getAll("key"))
    if (token !== "") found.push({ token, scheme: null });
  // A client of Supabase may send the project's own key as well, so an agent token is preferred.
  return found.find(({ token }) => token.startsWith("kh_agent_")) ?? found[0] ?? null;
}
