import { holdsAgentToken } from "./agent-token.ts";

/** Escapes that another parser could read as a slash, a dot, a backslash, a percent sign or the end of a text. */
const AMBIGUOUS = /%(?:2[ef]|5c|25|[01][0-9a-f]|7f)/i;

/**
 * The URL that a request goes to: the provider's base URL with the rest of the path. Null when the path is ambiguous:
 * `..`, `//`, a backslash, an escape of these. The result is always below the base URL.
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
  // A second check: if the rules above miss a case, still no key is sent to another place.
  if (target?.origin !== base.origin || !`${target.pathname}/`.startsWith(under)) return null;
  target.search = search;
  return target;
}

/** The query without a parameter, however its name is written. */
export function withoutParameter(search: string, name: string): string {
  return filtered(search, (pair) => !new URLSearchParams(pair).has(name));
}

/** The query without parameters that hold an agent token. */
export function withoutAgentTokens(search: string): string {
  return filtered(search, (pair) => !holdsAgentToken(pair));
}

/** The other parameters stay as they were written. */
function filtered(search: string, isKept: (pair: string) => boolean): string {
  const kept = search
    .replace(/^\?/, "")
    .split("&")
    .filter((pair) => pair !== "" && isKept(pair));
  return kept.length === 0 ? "" : `?${kept.join("&")}`;
}
