import { describe, expect, test } from "vitest";
import {
  holdsAgentToken,
  requestHeaders,
  responseHeaders,
  secureReply,
  withoutAgentTokens,
} from "../../packages/core/src/upstream/index.ts";

describe("an agent token", () => {
  const token = `kh_agent_${"0123456789abcdef".repeat(4)}`;

  test.each([
    `key=${token}`,
    `k%65y=${token}`,
    `KEY=${token}`,
    `api_key=${token}`,
    `q=Bearer+${token}`,
    `${token}`,
    `${token}=1`,
    `x[${token}]=1`,
    `key=kh%5Fagent%5F${"0".repeat(64)}`,
    `key=%6bh_agent_1`,
    `key=%256Bh_agent_1`,
    `key=%25256bh%255fagent_1`,
    `a=1;key=${token}`,
    `key=${token.toUpperCase()}`,
    `u=https%3A%2F%2Fx%2F%3Fkey%3D${token}`,
    "key=kh_agent_",
  ])("in a query as %s goes no further", (pair) => {
    expect(withoutAgentTokens(`?alt=a%20b+c&${pair}&z=kh_agents`)).toBe("?alt=a%20b+c&z=kh_agents");
    expect(withoutAgentTokens(`?${pair}`)).toBe("");
  });

  test.each([
    ["user-agent", `OpenAI/JS ${token}`],
    ["http-referer", `https://x.test/?key=kh%5Fagent_${"0".repeat(64)}`],
    ["x-title", token],
    ["openai-organization", token],
    ["x-goog-api-client", `a/1 ${token.toUpperCase()}`],
    ["content-type", `text/plain; ${token}`],
    [`openai-${token}`, "1"],
    ["accept", `*/*, ${token}`],
    ["x-stainless-lang", `Bearer ${token}`],
  ])("in the header %s goes no further", (name, value) => {
    const sent = requestHeaders(new Headers({ [name]: value, "idempotency-key": "1" }));
    expect([...sent.keys()]).toEqual(["accept-encoding", "idempotency-key"]);
  });

  test("is nothing else: a percent sign, a broken escape, another word", () => {
    const others = ["100%", "%", "%6", "%zz", "kh_", "kh-agent-1", "%2525252525", "khagent_", "%e4kh", ""];
    expect(others.filter(holdsAgentToken)).toEqual([]);
    expect(holdsAgentToken(`${"%25".repeat(30_000)}kh_agent_`)).toBe(true);
  });
});

describe("headers", () => {
  test("to the provider go those of the list, without credentials", () => {
    const sent = new Headers({
      accept: "text/event-stream",
      "content-type": "application/json",
      "user-agent": "OpenAI/JS",
      "openai-organization": "org",
      "anthropic-version": "2023-06-01",
      "x-stainless-lang": "js",
      "x-goog-api-client": "genai",
      "idempotency-key": "1",
      authorization: "Bearer token",
      "x-api-key": "token",
      "x-goog-api-key": "token",
      "x-goog-user-project": "somebody",
      "api-key": "token",
      cookie: "session",
      host: "evil.example",
      "x-forwarded-for": "1.2.3.4",
      "x-forwarded-host": "evil.example",
      "transfer-encoding": "chunked",
      "content-length": "7",
      connection: "keep-alive, openai-organization",
      te: "trailers",
      "accept-encoding": "gzip",
    });
    expect(Object.fromEntries(requestHeaders(sent))).toEqual({
      accept: "text/event-stream",
      "accept-encoding": "identity",
      "anthropic-version": "2023-06-01",
      "content-type": "application/json",
      "idempotency-key": "1",
      "user-agent": "OpenAI/JS",
      "x-goog-api-client": "genai",
      "x-stainless-lang": "js",
    });
  });

  test.each(["range", "if-range", "x-range"])("%s does not go on: a mask finds only a whole key", (name) => {
    expect([...requestHeaders(new Headers({ [name]: "bytes=0-9" })).keys()]).toEqual(["accept-encoding"]);
  });

  test("to the caller go those of the list", () => {
    const got = new Headers({
      "content-type": "application/json",
      "content-length": "7",
      "x-request-id": "r1",
      "retry-after": "3",
      "x-ratelimit-remaining-requests": "5",
      "set-cookie": "a=1",
      connection: "close, x-hop",
      "x-hop": "1",
      "keep-alive": "timeout=5",
      "transfer-encoding": "chunked",
      "access-control-allow-origin": "https://evil.example",
      "alt-svc": "h3",
      "strict-transport-security": "max-age=1",
    });
    expect(Object.fromEntries(responseHeaders(got, 200))).toEqual({
      "content-type": "application/json",
      "content-length": "7",
      "x-request-id": "r1",
      "retry-after": "3",
      "x-ratelimit-remaining-requests": "5",
    });
  });

  test("of a body that the runtime has decoded, the encoded length does not pass", () => {
    const got = new Headers({ "content-encoding": "gzip", "content-length": "7", etag: "e" });
    expect(Object.fromEntries(responseHeaders(got, 200))).toEqual({ etag: "e" });
    expect(Object.fromEntries(responseHeaders(new Headers({ "content-length": "7" }), 204))).toEqual({});
  });

  // Headers that the providers' SDKs on npm and PyPI read, or that the providers' documentation names.
  test.each([
    "request-id",
    "x-request-id",
    "x-should-retry",
    "retry-after-ms",
    "anthropic-organization-id",
    "anthropic-workspace-id",
    "anthropic-ratelimit-tokens-remaining",
    "openai-processing-ms",
    "openai-poll-after-ms",
    "openai-version",
    "x-goog-upload-url",
    "x-goog-upload-status",
    "x-ratelimit-reset-tokens",
    "x-ratelimitbysize-remaining-month",
    "ratelimit-reset",
    "x-rate-limit-limit",
    "x-groq-region",
    "dg-request-id",
    "x-ms-request-id",
    "apim-request-id",
    "mistral-correlation-id",
    "x-ds-trace-id",
    "x-generation-id",
    "cf-ray",
  ])("%s comes through", (name) => {
    expect(responseHeaders(new Headers({ [name]: "1" }), 200).get(name)).toBe("1");
  });

  // Headers that a browser, or a proxy in front of the gateway, obeys.
  test.each([
    "accept-ch",
    "age",
    "clear-site-data",
    "content-disposition",
    "content-location",
    "content-range",
    "content-security-policy",
    "content-security-policy-report-only",
    "critical-ch",
    "cross-origin-opener-policy",
    "document-policy",
    "expires",
    "link",
    "location",
    "nel",
    "no-vary-search",
    "origin-agent-cluster",
    "origin-trial",
    "permissions-policy",
    "pragma",
    "proxy-authenticate",
    "public-key-pins",
    "refresh",
    "report-to",
    "reporting-endpoints",
    "service-worker-allowed",
    "set-cookie",
    "set-cookie2",
    "set-login",
    "sourcemap",
    "speculation-rules",
    "supports-loading-mode",
    "timing-allow-origin",
    "trailer",
    "upgrade",
    "vary",
    "www-authenticate",
    "x-accel-redirect",
    "x-frame-options",
    "x-keyhub-attempts",
    "x-lighttpd-send-file",
    "x-reproxy-url",
    "x-sendfile",
    "x-sourcemap",
    "x-xss-protection",
    `${"ratelimit-".repeat(6_000)}x`,
  ])("%s does not", (name) => {
    expect([...responseHeaders(new Headers({ [name]: "1" }), 200)]).toEqual([]);
  });

  test.each([
    [null, "private, no-store"],
    ["public, max-age=31536000, immutable", "private, no-store"],
    ["no-store", "private, no-store"],
    ["No-Cache, no-transform", "private, no-store, no-cache, no-transform"],
    ["must-understand, no-store, must-revalidate", "private, no-store, must-revalidate"],
  ])("every answer is no page, and stays in no cache: %s", (own, expected) => {
    const headers = new Headers({ "content-security-policy": "default-src *" });
    if (own !== null) headers.set("cache-control", own);
    secureReply(headers);
    expect(Object.fromEntries(headers)).toEqual({
      "cache-control": expected,
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
    });
  });
});
