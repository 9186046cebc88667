import { describe, expect, test } from "vitest";
import {
  holdsAgentToken,
  isPrivateHost,
  readUpstreams,
  requestHeaders,
  responseHeaders,
  secureReply,
  targetOf,
  withoutAgentTokens,
  withoutParameter,
} from "../../packages/core/src/upstream/index.ts";

/** As the URL of a setting spells it. */
const hostOf = (text: string) => new URL(`https://${text}/`).hostname;

describe("private addresses", () => {
  test.each([
    "localhost",
    "LOCALHOST.",
    "router",
    "printer.local",
    "db.internal",
    "x.localhost",
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "0177.0.0.1",
    "2130706433",
    "0x7f000001",
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:8.8.8.8]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
    "[2001:db8::1]",
    "[fc00::1]",
    "[fd12:3456:789a::1]",
    "[fe80::1]",
    "[ff02::1]",
  ])("%s", (text) => {
    expect(isPrivateHost(hostOf(text))).toBe(true);
    expect(() => readUpstreams(`{"x":"https://${text}"}`, { allowLoopback: false })).toThrow(/private/);
  });

  test.each([
    "api.openai.com",
    "8.8.8.8",
    "172.32.0.1",
    "100.63.255.255",
    "11.0.0.1",
    "198.20.0.1",
    "[2606:4700::6810:84e5]",
    "[2001:4860:4860::8888]",
    "localhost.example.com",
    "internal.example.com",
  ])("%s is none", (text) => {
    expect(isPrivateHost(hostOf(text))).toBe(false);
  });

  test("as DNS answers them: without brackets, with a zone", () => {
    expect(["::1", "fe80::1%eth0", "::ffff:10.0.0.1", "10.1.2.3"].map(isPrivateHost)).toEqual(
      Array(4).fill(true),
    );
    expect(["2606:4700::6810:84e5", "8.8.4.4"].map(isPrivateHost)).toEqual([false, false]);
  });
});

describe("KEYHUB_UPSTREAMS", () => {
  const read = (setting?: unknown, allowLoopback = false) =>
    readUpstreams(typeof setting === "object" ? JSON.stringify(setting) : (setting as string), {
      allowLoopback,
    });

  test("without it: the providers of the table, each with its own place", () => {
    const upstreams = read(undefined);
    const shown = ["openai", "anthropic", "gemini", "groq"].map((name) => {
      const { base, place } = upstreams.get(name) ?? {};
      return `${base?.href} ${place}`;
    });
    expect(shown).toEqual([
      "https://api.openai.com/ authorization",
      "https://api.anthropic.com/ x-api-key",
      "https://generativelanguage.googleapis.com/ x-goog-api-key",
      "https://api.groq.com/ authorization",
    ]);
    // Each customer of Azure has a host of their own.
    expect(upstreams.has("azure")).toBe(false);
    expect([...upstreams.values()].every(({ base }) => base.protocol === "https:")).toBe(true);
  });

  test("adds, changes and takes away", () => {
    const upstreams = read({
      openai: null,
      mine: "https://llm.example.com/api/",
      "azure-eu": { base_url: "https://a.openai.azure.com" },
      other: { base_url: "https://o.example.com", key_in: "query" },
    });
    expect(upstreams.has("openai")).toBe(false);
    expect(upstreams.get("mine")).toMatchObject({ place: "authorization" });
    expect(upstreams.get("mine")?.base.pathname).toBe("/api");
    expect(upstreams.get("azure-eu")).toMatchObject({ place: "api-key" });
    expect(upstreams.get("other")).toMatchObject({ place: "query" });
  });

  test.each([
    ["[]", /JSON object/],
    ["{", /JSON object/],
    [{ "Open AI": "https://a.example.com" }, /"Open AI" is not the name/],
    [{ a: "http://a.example.com" }, /not https/],
    [{ a: "ftp://a.example.com" }, /not https/],
    [{ a: "nowhere" }, /no base_url/],
    [{ a: 7 }, /no base_url/],
    [{ a: { base_url: "https://a.example.com", key: "sk-secret" } }, /has a member key;/],
    [{ a: "https://user:secret@a.example.com" }, /user info/],
    [{ a: "https://a.example.com/?x=1" }, /query/],
    [{ a: { base_url: "https://a.example.com", key_in: "cookie" } }, /key_in/],
    [{ a: "http://127.0.0.1:8080" }, /not https/],
  ])("%j is refused, and no secret of it is told", (setting, message) => {
    expect(() => read(setting)).toThrow(message);
    expect(() => read(setting)).not.toThrow(/secret/);
  });

  test("this machine only where it is allowed, and only this machine", () => {
    expect(read({ a: "http://127.0.0.1:8080" }, true).get("a")?.base.port).toBe("8080");
    expect(() => read({ a: "http://10.0.0.1" }, true)).toThrow(/not https/);
    expect(() => read({ a: "https://10.0.0.1" }, true)).toThrow(/private/);
  });
});

describe("where a request goes", () => {
  const base = new URL("https://api.example.com/base");

  test("below the base URL, as it was written", () => {
    const to = (rest: string, search = "") => targetOf(base, rest, search)?.href;
    expect(to("/v1/models/x:generateContent", "?alt=sse&q=a%20b")).toBe(
      "https://api.example.com/base/v1/models/x:generateContent?alt=sse&q=a%20b",
    );
    expect(to("/files/%C3%A9/")).toBe("https://api.example.com/base/files/%C3%A9/");
    expect(to("")).toBe("https://api.example.com/base");
    expect(targetOf(new URL("https://api.example.com"), "/v1", "")?.href).toBe("https://api.example.com/v1");
  });

  test.each([
    "/..",
    "/../x",
    "/v1/../../x",
    "/v1/./x",
    "/%2e%2e/x",
    "/.%2E/x",
    "/v1/%2e",
    "//evil.example",
    "/v1//x",
    "/\\evil.example",
    "/v1\\..\\x",
    "/%5c..",
    "/v1%2f..%2fx",
    "/%252e%252e/x",
    "/..;/x",
    "/v1%00",
    "/v1%0d%0aX: 1",
    "/a b",
    "/é",
    "x",
    "@evil.example/x",
    ":8080/x",
  ])("%s goes nowhere", (rest) => {
    expect(targetOf(base, rest, "")).toBe(null);
  });

  test("an @ in the path is a part of the path", () => {
    expect(targetOf(base, "/@evil.example/x", "?x=@y")?.host).toBe("api.example.com");
  });

  test("the query loses its token and nothing else", () => {
    expect(withoutParameter("?alt=a%20b+c&key=kh_agent_1&z=1&monkey=2&key=3", "key")).toBe(
      "?alt=a%20b+c&z=1&monkey=2",
    );
    expect(withoutParameter("?key=1", "key")).toBe("");
  });

  test.each(["k%65y=1", "%6B%65%79=1", "key", "key=", "key=%zz&", "&&key=1&key=2"])(
    "also when it is written as %s",
    (written) => {
      expect(withoutParameter(`?a=1&${written}&KEY=2`, "key")).toBe("?a=1&KEY=2");
    },
  );
});

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

  // What the SDKs of npm and PyPI read, and what the providers' pages name.
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

  // What a browser, or a proxy in front of the gateway, acts on.
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
