import { holdsAgentToken } from "./agent-token.ts";

/** Escapes that another parser could read as a slash, dot, backslash, percent sign, or control character that may end a text. */
const AMBIGUOUS = /%(?:2[ef]|5c|25|[01][0-9a-f]|7f)/i;

/**
 * Returns the URL that a request goes to: the provider's base URL followed by `rest`, always below the base URL. Returns null when two
 * parsers could read `rest` differently: it has `..`, `//`, a backslash, an AMBIGUOUS escape, or a character that is not visible ASCII.
 */
export function targetOf(base: URL, rest: string, search: string): URL | null {
  const segments = rest.split("/").slice(1);
  const odd = segments.some(
    (segment, i) =>
      (segment === "" && i < segments.length - 1) ||
      /^\.{1,2}(?:;|$)/.test(segment) ||
      AMBIGUOUS.test(segment) ||
      /[^!-~]|\\/.test(segment),
  );
  if (odd || (rest !== "" && !rest.startsWith("/"))) return null;
  const target = URL.parse(`${base.origin}${base.pathname.replace(/\/$/, "")}${rest}`);
  const under = `${base.pathname.replace(/\/$/, "")}/`;
  // The parsed URL is checked too, so that no key is sent to another place even if the rules above miss a case.
  if (target?.origin !== base.origin || !`${target.pathname}/`.startsWith(under)) return null;
  target.search = search;
  return target;
}

/** Returns the query without the parameter `name`, even if that name is percent-encoded in the query. */
export function withoutParameter(search: string, name: string): string {
  return filtered(search, (pair) => !new URLSearchParams(pair).has(name));
}

/** Returns the query without the parameters that contain an agent token. */
export function withoutAgentTokens(search: string): string {
  return filtered(search, (pair) => !holdsAgentToken(pair));
}

/** Returns the query with only the parameters that `isKept` accepts; their spelling stays unchanged. */
function filtered(search: string, isKept: (pair: string) => boolean): string {
  const kept = search
    .replace(/^\?/, "")
    .split("&")
    .filter((pair) => pair !== "" && isKept(pair));
  return kept.length === 0 ? "" : `?${kept.join("&")}`;
}
