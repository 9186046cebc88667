import { PROVIDER_NAMES } from "../rotate/providers.ts";
import { holdsAgentToken } from "./agent-token.ts";

/**
 * The headers that we forward to the provider: headers about the request, and headers with
 * which SDKs describe themselves. Credentials and cookies are not among them.
 */
const FORWARDED: ReadonlySet<string> = new Set([
  "accept",
  "accept-language",
  "content-type",
  "http-referer",
  "idempotency-key",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "prefer",
  "user-agent",
  "x-client-request-id",
  "x-title",
]);
const FORWARDED_PREFIXES = /^(?:anthropic|openai|x-stainless|x-goog|x-ratelimit|x-wait|x-use)-/;
/** Headers that match a forwarded prefix, but contain a credential or name an account. They are not forwarded. */
const NEVER: ReadonlySet<string> = new Set([
  "x-goog-api-key",
  "x-goog-user-project",
  "x-goog-iam-authorization-token",
]);

/** The headers of the provider's answer that we return: about its body, the wait before a retry, Cloudflare's request id, and more. */
const RETURNED: ReadonlySet<string> = new Set([
  "allow",
  "cache-control",
  "cf-ray",
  "content-language",
  "content-length",
  "content-type",
  "date",
  "etag",
  "last-modified",
  "retry-after",
  "retry-after-ms",
  "x-should-retry",
]);
/**
 * Matches the names of headers that contain a request id or a rate limit, in every provider's spelling. Names of more than 64 characters do
 * not match.
 */
const RETURNED_NAMES =
  /^(?=.{1,64}$)(?:[a-z0-9]+-)*(?:(?:request|trace|correlation|generation)-id|rate-?limit[a-z0-9-]*)$/;
/** Matches a provider's own headers, which we return too. They begin with its name, with `goog` for Google, or with `ms` for Azure. */
const RETURNED_PREFIXES = new RegExp(`^(?:x-)?(?:${PROVIDER_NAMES.join("|")}|goog|ms)-`);

/** Statuses whose answers have no body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** The provider's cache directives that are passed on, because they do not contradict `no-store`. */
const STRICT = /^(?:no-cache|no-transform|must-revalidate)$/;

/**
 * Returns the headers of a request to the provider, without the key. They ask for the whole body (no `range`) without encoding,
 * because the search for keys could miss a key in an encoded or partial body. Headers with an agent token are left out.
 */
export function requestHeaders(original: Headers): Headers {
  const headers = new Headers();
  const named = connectionNames(original);
  for (const [name, value] of original) {
    const passes = FORWARDED.has(name) || (FORWARDED_PREFIXES.test(name) && !NEVER.has(name));
    if (passes && !named.has(name) && !holdsAgentToken(`${name}: ${value}`)) headers.set(name, value);
  }
  headers.set("accept-encoding", "identity");
  return headers;
}

/** Returns the headers of the provider's answer that the caller gets. */
export function responseHeaders(original: Headers, status: number): Headers {
  const headers = new Headers();
  const named = connectionNames(original);
  for (const [name, value] of original) {
    const passes = RETURNED.has(name) || RETURNED_NAMES.test(name) || RETURNED_PREFIXES.test(name);
    if (passes && !named.has(name)) headers.append(name, value);
  }
  // The runtime decodes an encoded body, so the body no longer has the length that the header states. Over HTTP/2, an answer that states a
  // length but has no body counts as broken.
  const isDecoded = !/^(?:identity)?$/i.test(original.get("content-encoding")?.trim() ?? "");
  if (isDecoded || WITHOUT_BODY.has(status)) headers.delete("content-length");
  return headers;
}

/**
 * Adds the headers of every answer of the gateway, so that a browser that opens an answer neither runs nor stores it.
 * This is needed because an answer may have content of another party, and the gateway may have the same origin as Keyhub's pages.
 */
export function secureReply(headers: Headers): void {
  const own = (headers.get("cache-control") ?? "").split(",").map((one) => one.trim().toLowerCase());
  headers.set("Cache-Control", ["private", "no-store", ...own.filter((one) => STRICT.test(one))].join(", "));
  headers.set("Content-Security-Policy", "sandbox; default-src 'none'");
  headers.set("X-Content-Type-Options", "nosniff");
}

/** Returns the names that the header `connection` lists: these headers are only about the connection and are not passed on. */
function connectionNames(headers: Headers): Set<string> {
  return new Set((headers.get("connection") ?? "").split(",").map((name) => name.trim().toLowerCase()));
}
