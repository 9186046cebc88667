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
  "range",
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

/** Headers about one connection (RFC 9110, 7.6.1), about the provider's own pages, or about who may read the answer: Keyhub sets these itself. */
const DROPPED =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|set-cookie2?|alt-svc|strict-transport-security|access-control-.*|content-security-policy.*|clear-site-data|refresh|report-to|nel)$/;

/**
 * The first headers of a request to the provider. Encodings are
 * not accepted: an encoded body could hide a key from the search for keys.
 */
export function requestHeaders(original: Headers): Headers {
  const headers = new Headers();
  const named = connectionNames(original);
  for (const [name, value] of original) {
    const passes = FORWARDED.has(name) || (FORWARDED_PREFIXES.test(name) && !NEVER.has(name));
    if (passes && !named.has(name)) headers.set(name, value);
  }
  headers.set("accept-encoding", "identity");
  return headers;
}

/** The headers of the provider's answer that the caller gets. */
export function responseHeaders(original: Headers): Headers {
  const headers = new Headers();
  const named = connectionNames(original);
  for (const [name, value] of original) {
    if (!DROPPED.test(name) && !named.has(name)) headers.append(name, value);
  }
  // The runtime has decoded the body, so its length is different.
  if (/^(?:x-)?gzip$|^deflate$|^br$/i.test(headers.get("content-encoding") ?? "")) {
    headers.delete("content-encoding");
    headers.delete("content-length");
  }
  return headers;
}

/** The headers that a message declares to be about its connection only. */
function connectionNames(headers: Headers): Set<string> {
  return new Set((headers.get("connection") ?? "").split(",").map((name) => name.trim().toLowerCase()));
}
