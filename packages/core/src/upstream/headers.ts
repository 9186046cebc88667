import { PROVIDER_NAMES } from "../rotate/providers.ts";
import { holdsAgentToken } from "./agent-token.ts";

/** Headers that are forwarded to the provider: those about the request, and those with which SDKs describe themselves. No credential, no cookie. */
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
/** They match a prefix, but hold a credential or name an account, so they are not forwarded. */
const NEVER: ReadonlySet<string> = new Set([
  "x-goog-api-key",
  "x-goog-user-project",
  "x-goog-iam-authorization-token",
]);

/** Headers of the provider's answer that the caller gets: those about the body, the wait, and the request's place in logs. */
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
/** The ids by which a provider finds a request, and what is left of its limits, in the spellings of all of them; only short names. */
const RETURNED_NAMES =
  /^(?=.{1,64}$)(?:[a-z0-9]+-)*(?:(?:request|trace|correlation|generation)-id|rate-?limit[a-z0-9-]*)$/;
/** A provider's own headers; of Google and Azure they begin otherwise. */
const RETURNED_PREFIXES = new RegExp(`^(?:x-)?(?:${PROVIDER_NAMES.join("|")}|goog|ms)-`);

/** Statuses whose answers have no body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** What a cache must heed even of an answer that it does not store. */
const STRICT = /^(?:no-cache|no-transform|must-revalidate)$/;

/**
 * The first headers of a request to the provider. Encodings are
 * not accepted: an encoded body could hide a key from the search for keys; so could a part of one (`range`). No agent token goes along.
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

/** The headers of the provider's answer that the caller gets. */
export function responseHeaders(original: Headers, status: number): Headers {
  const headers = new Headers();
  const named = connectionNames(original);
  for (const [name, value] of original) {
    const passes = RETURNED.has(name) || RETURNED_NAMES.test(name) || RETURNED_PREFIXES.test(name);
    if (passes && !named.has(name)) headers.append(name, value);
  }
  // The length of a decoded body is different, and HTTP/2 takes a length without a body for a broken answer.
  const isDecoded = !/^(?:identity)?$/i.test(original.get("content-encoding")?.trim() ?? "");
  if (isDecoded || WITHOUT_BODY.has(status)) headers.delete("content-length");
  return headers;
}

/**
 * What every answer of the gateway has: a browser that opens one neither runs it nor keeps it. The answer may be content of another
 * party, and its address may be on the origin of the pages.
 */
export function secureReply(headers: Headers): void {
  const own = (headers.get("cache-control") ?? "").split(",").map((one) => one.trim().toLowerCase());
  headers.set("Cache-Control", ["private", "no-store", ...own.filter((one) => STRICT.test(one))].join(", "));
  headers.set("Content-Security-Policy", "sandbox; default-src 'none'");
  headers.set("X-Content-Type-Options", "nosniff");
}

/** The headers that a message declares to be about its connection only. */
function connectionNames(headers: Headers): Set<string> {
  return new Set((headers.get("connection") ?? "").split(",").map((name) => name.trim().toLowerCase()));
}
