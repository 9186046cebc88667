import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { GATEWAY, openGateway } from "./fixture.ts";

/** The addresses of names, in place of DNS. */
const addresses: Record<string, string[]> = {
  "metadata.example.com": ["169.254.169.254"],
  "both.example.com": ["8.8.8.8", "::ffff:10.0.0.1"],
  "six.example.com": ["fd00::1"],
};
const { desk, call } = openGateway(({ origin }) => ({
  upstreams: {
    openai: origin,
    anthropic: origin,
    gemini: { base_url: origin, key_in: "query" },
    deep: `${origin}/base/v2`,
    metadata: "https://metadata.example.com",
    both: "https://both.example.com",
    six: "https://six.example.com",
  },
  resolve: async (host) => addresses[host] ?? [],
}));
const codeOf = (text: string) => JSON.parse(text).code;

describe("paths", () => {
  // `new Request` itself resolves a plain `..` in a path. tests/client/gateway.test.ts sends such paths raw, on Deno.
  test.each([
    "/openai//evil.example/x",
    "/openai/v1%2f..%2fx",
    "/openai/%5c..%5cx",
    "/openai/v1%00",
    "/openai/%252e%252e/x",
    "/openai/..;/x",
  ])("%s: 404, and no key is asked for", async (path) => {
    const bench = await desk.bench({ provider: "openai", keys: 1 });
    const { status, text } = await call(bench, path);
    expect([status, codeOf(text)]).toEqual([404, "not_found"]);
    expect([desk.provider.seen, await bench.log()]).toEqual([[], []]);
  });

  test("a host in the path stays a path; the base URL's own path stays in front", async () => {
    const bench = await desk.bench({ provider: "deep", keys: 1 });
    await call(bench, "/deep/@evil.example/https:%2b/x?y=//evil.example");
    expect(desk.provider.seen).toMatchObject([
      { path: "/base/v2/@evil.example/https:%2b/x?y=//evil.example" },
    ]);
  });

  test.each(["/Openai@evil.example/x", "/openai:80/x", "/https:/evil.example/x", "/", ""])(
    "%s is no provider",
    async (path) => {
      const { status } = await call(await desk.bench({ provider: "openai", keys: 1 }), path);
      expect(status).toBe(404);
    },
  );
});

describe("headers", () => {
  test("no credential, cookie or address of the caller's goes on; the key stands in its place alone", async () => {
    const bench = await desk.bench({ provider: "anthropic", keys: 1 });
    const headers = {
      authorization: "Bearer sk-of-my-own",
      "x-api-key": bench.token,
      "api-key": "sk-other",
      "x-goog-api-key": "sk-other",
      cookie: "session=1",
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-host": "evil.example",
      "proxy-authorization": "Basic x",
      "x-original-url": "/admin",
      "anthropic-version": "2023-06-01",
    };
    expect((await call(bench, "/anthropic/v1/messages", { headers })).status).toBe(200);
    const sent = desk.provider.seen[0]?.headers ?? {};
    expect(sent["x-api-key"]).toBe(bench.keys[0]);
    expect(sent["anthropic-version"]).toBe("2023-06-01");
    for (const name of Object.keys(headers)) {
      if (name !== "x-api-key" && name !== "anthropic-version")
        expect([name, sent[name]]).toEqual([name, undefined]);
    }
    expect(sent.host).toBe(new URL(desk.provider.origin).host);
  });

  test("a key in ?key= replaces the caller's, and is in no answer", async () => {
    const bench = await desk.bench({ provider: "gemini", keys: 1 });
    const { status, headers } = await call(bench, "/gemini/v1beta/x?key=mine&key=other&a=1");
    expect([status, headers.get("x-keyhub-attempts")]).toEqual([200, "1"]);
    expect(desk.provider.seen[0]?.path).toBe(`/v1beta/x?a=1&key=${bench.keys[0]}`);
  });
});

describe("the agent's token", () => {
  const mark = (token: string) => token.replace("kh_agent_", "kh%5Fagent%5F");
  test.each([
    ["?k%65y=", (token: string) => `k%65y=${token}`],
    ["?key=, encoded", (token: string) => `key=${mark(token)}`],
    ["?key=, behind another one", (token: string) => `key=a&key=${token}`],
    ["?key=, before another one", (token: string) => `key=${token}&key=a`],
  ])("in %s is taken, and goes no further", async (_, query) => {
    const bench = await desk.bench({ provider: "anthropic", keys: 1 });
    const path = `/anthropic/v1/x?a=1&${query(bench.token)}&z=%20`;
    expect((await call({ token: "" }, path, { headers: { authorization: "" } })).status).toBe(200);
    expect(desk.provider.seen[0]?.path).toMatch(/^\/v1\/x\?a=1(?:&key=a)?&z=%20$/);
    expect(JSON.stringify(desk.provider.seen)).not.toMatch(/kh(?:_|%5f)agent/i);
  });

  test("a second copy goes no further, wherever it stands", async () => {
    const bench = await desk.bench({ provider: "anthropic", keys: 1 });
    const { token } = bench;
    const query = `KEY=${token}&api_key=${token}&k%65y=${token}&${token}&x=${mark(token)}&q=1`;
    const headers = {
      "user-agent": `agent ${token}`,
      "x-api-key": token,
      "x-goog-api-client": mark(token),
      "http-referer": `https://x.test/?${query}`,
      [`openai-${token}`]: "1",
    };
    expect((await call(bench, `/anthropic/v1/x?${query}`, { headers })).status).toBe(200);
    expect(desk.provider.seen[0]?.path).toBe("/v1/x?q=1");
    expect(JSON.stringify(desk.provider.seen)).not.toMatch(/kh(?:_|%5f)agent/i);
  });

  test("in the path: 404, and no key is asked for", async () => {
    const bench = await desk.bench({ provider: "openai", keys: 1 });
    for (const path of [`/openai/v1/${bench.token}/x`, `/openai/v1/${mark(bench.token)}`]) {
      const { status, text } = await call(bench, path);
      expect([status, codeOf(text)]).toEqual([404, "not_found"]);
    }
    expect([desk.provider.seen, await bench.log()]).toEqual([[], []]);
  });

  test("of a caller that nobody knows: the body is not waited for", async () => {
    for (const length of [{ "content-length": "7" }, {}]) {
      const answer = await desk.service.fetch(`${GATEWAY}/openai/v1/x`, {
        method: "POST",
        // The body never arrives.
        body: new ReadableStream(),
        headers: { authorization: `Bearer kh_agent_${"3".repeat(64)}`, ...length },
        duplex: "half",
      } as RequestInit);
      expect([answer.status, codeOf(await answer.text())]).toEqual([401, "invalid_credential"]);
    }
  });

  test("of a known caller: a body that comes late is waited for", async () => {
    const bench = await desk.bench({ provider: "openai", keys: 1 });
    const body = new ReadableStream({
      async start(controller) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        controller.enqueue(new TextEncoder().encode("late"));
        controller.close();
      },
    });
    const { status } = await call(bench, undefined, { body, duplex: "half" } as RequestInit);
    expect([status, desk.provider.seen.map(({ bytes }) => bytes)]).toEqual([200, [4]]);
  });
});

/** Checks the headers that keep a browser from running or storing an answer, whatever the provider sends. */
function expectSecured(headers: Headers): void {
  expect(headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("cache-control")).toBe("private, no-store");
}

describe("a provider that means harm", () => {
  const page = {
    "content-type": "text/html",
    "service-worker-allowed": "/",
    link: "</hub>; rel=preload",
    "set-cookie": "a=1",
    "clear-site-data": '"*"',
    "cache-control": "public, max-age=9",
    "content-security-policy": "default-src *",
    "x-accel-redirect": "/etc/passwd",
  };

  test.each([200, 404])("sends a page or a script (%i): it is shown to nobody as one", async (status) => {
    const bench = await desk.bench({ provider: "openai", keys: 1 });
    for (const type of ["text/html", "text/javascript", "image/svg+xml", "application/xhtml+xml"]) {
      const headers = { ...page, "content-type": type, "x-request-id": "r1" };
      desk.provider.acts.push({ act: "error", status, body: "<script>alert(1)</script>", headers });
      const answer = await call({ token: "" }, `/openai/v1/x?key=${bench.token}`, {
        headers: { authorization: "" },
      });
      expect([answer.status, answer.headers.get("content-type")]).toEqual([status, type]);
      expectSecured(answer.headers);
      expect(answer.headers.get("x-request-id")).toBe("r1");
      const names = ["service-worker-allowed", "link", "set-cookie", "clear-site-data", "x-accel-redirect"];
      expect(names.filter((name) => answer.headers.has(name))).toEqual([]);
    }
  });

  test("so are a problem, a preflight and a place where nothing is", async () => {
    expectSecured((await call({ token: "no" })).headers);
    expectSecured((await desk.service.fetch(`${GATEWAY}/openai/x`, { method: "OPTIONS" })).headers);
    expectSecured((await desk.service.fetch(`${GATEWAY}/`)).headers);
  });

  test("is not asked for a part of an answer, in which half a key would not be found", async () => {
    const bench = await desk.bench({ provider: "openai", keys: 1 });
    const headers = { range: "bytes=0-9", "if-range": '"e"' };
    expect((await call(bench, undefined, { headers })).status).toBe(200);
    expect(desk.provider.seen[0]?.headers).not.toHaveProperty("range");
    expect(desk.provider.seen[0]?.headers).not.toHaveProperty("if-range");
  });

  test.each([301, 302, 303, 307, 308])(
    "redirects to another host (%s): 502, the key does not arrive",
    async (status) => {
      const arrived: unknown[] = [];
      const thief = createServer((request, response) => {
        arrived.push(request.headers);
        response.end("{}");
      });
      await new Promise<void>((resolve) => thief.listen(0, "127.0.0.1", resolve));
      try {
        const bench = await desk.bench({ provider: "anthropic", keys: 2 });
        const to = `http://127.0.0.1:${(thief.address() as AddressInfo).port}/v1/messages`;
        desk.provider.acts.push({ act: "redirect", to, status });
        const { text, ...answer } = await call(bench, "/anthropic/v1/messages");
        expect([answer.status, codeOf(text)]).toEqual([502, "upstream_refused"]);
        expect(text).not.toContain(to);
        expect(arrived).toEqual([]);
        expect(await bench.log()).toMatchObject([{ effect: "ignored" }]);
      } finally {
        thief.close();
      }
    },
  );

  test("on the same host a redirect is followed, with the key", async () => {
    const bench = await desk.bench({ provider: "openai", keys: 1 });
    desk.provider.acts.push({ act: "redirect", to: "/v1/there" });
    expect((await call(bench)).status).toBe(200);
    expect(desk.provider.seen).toMatchObject([{}, { path: "/v1/there", key: bench.keys[0] }]);
  });

  test("echoes the key in an error, a header and a stream: stars", async () => {
    const bench = await desk.bench({ provider: "openai", keys: 1 });
    const [key = ""] = bench.keys;
    const filler = "x".repeat(65_530);
    desk.provider.acts.push(
      { act: "error", status: 404, body: `${filler}${key}!`, headers: { "x-request-id": `Bearer ${key}` } },
      { act: "breaks", text: `data: {"text":"${key}"}\n\n` },
    );
    const error = await call(bench);
    expect(error.text).toBe(`${filler}${"*".repeat(key.length)}!`);
    expect(error.headers.get("x-request-id")).toBe(`Bearer ${"*".repeat(key.length)}`);
    const stream = await call(bench, undefined, { body: '{"stream": true}' });
    expect(stream.text).toContain(`{"text":"${"*".repeat(key.length)}"}`);
    // Besides, after all tests of this file, every answer of the gateway is searched for keys.
  });

  test("sets no cookie, and headers of pages do not pass", async () => {
    const bench = await desk.bench({ provider: "openai", keys: 1 });
    const own = {
      "set-cookie": "a=1",
      "access-control-allow-origin": "https://evil.example",
      "x-request-id": "r1",
    };
    desk.provider.acts.push({
      act: "error",
      status: 404,
      body: "{}",
      headers: { ...own, "retry-after": "7" },
    });
    const { headers } = await call(bench);
    expect(headers.getSetCookie()).toEqual([]);
    expect(
      ["access-control-allow-origin", "x-request-id", "retry-after"].map((name) => headers.get(name)),
    ).toEqual(["*", "r1", "7"]);
  });
});

test.each(["metadata", "both", "six"])(
  "a name that leads to a private address (%s): 502, no key is asked for",
  async (provider) => {
    const bench = await desk.bench({ provider, keys: 1 });
    const { status, text } = await call(bench, `/${provider}/x`);
    expect([status, codeOf(text)]).toEqual([502, "upstream_refused"]);
    expect(await bench.log()).toEqual([]);
  },
);

describe("bodies", () => {
  test("up to 1 MB is kept and sent again with another key; more is sent once, and the caller may come again", async () => {
    const bench = await desk.bench({ provider: "openai", keys: 3 });
    const limit = { act: "error" as const, status: 429, body: "{}", headers: { "retry-after": "60" } };
    const post = async (bytes: number) => {
      const { status, headers } = await call(bench, undefined, { body: new Uint8Array(bytes) });
      const seen = desk.provider.seen.splice(0).map((one) => one.bytes);
      return {
        status,
        seen,
        attempts: headers.get("x-keyhub-attempts"),
        retry: headers.get("x-should-retry"),
      };
    };
    desk.provider.acts.push(limit);
    const kept = 1024 * 1024;
    expect(await post(kept)).toEqual({ status: 200, seen: [kept, kept], attempts: "2", retry: null });
    desk.provider.acts.push(limit);
    expect(await post(kept + 1)).toEqual({ status: 429, seen: [kept + 1], attempts: "1", retry: null });
    expect(await post(20 * 1024 * 1024)).toEqual({
      status: 200,
      seen: [20 * 1024 * 1024],
      attempts: "1",
      retry: null,
    });
  });

  test("of an agent that is not known, nothing of a large body is sent", async () => {
    const answer = await desk.service.fetch(`${GATEWAY}/openai/v1/x`, {
      method: "POST",
      body: new Uint8Array(2 * 1024 * 1024),
      headers: { authorization: `Bearer kh_agent_${"2".repeat(64)}` },
    });
    expect([answer.status, desk.provider.seen]).toEqual([401, []]);
  });
});
