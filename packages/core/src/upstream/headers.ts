/** Headers of a request that go on to the provider: what it means, and what SDKs say about themselves. No credential, no cookie. */
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
/** They match a prefix, and are about who pays or asks. */
const NEVER: ReadonlySet<string> = new Set([
  "x-goog-api-key",
  "x-goog-user-project",
  "x-goog-iam-authorization-token",
]);

/** Headers about one connection (RFC 9110, 7.6.1), about the provider's own pages, or about who may read the answer: Keyhub sets these itself. */
const DROPPED =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|set-cookie2?|alt-svc|strict-transport-security|access-control-.*|content-security-policy.*|clear-site-data|refresh|report-to|nel)$/;

/**
 * The headers that a request to the provider begins with. An encoded
 * body could hide a key from the search for keys.
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
  // The runtime has decoded such a body: its length is another one.
  if (/^(?:x-)?gzip$|^deflate$|^br$/i.test(headers.get("content-encoding") ?? "")) {
    headers.delete("content-encoding");
    headers.delete("content-length");
  }
  return headers;
}

/** Whatever a message says is of its connection only. */
function connectionNames(headers: Headers): Set<string> {
  return new Set((headers.get("connection") ?? "").split(",").map((name) => name.trim().toLowerCase()));
}
