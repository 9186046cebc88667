import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { KeyhubRequestError } from "../../packages/client/src/index.ts";
import { leaseOf, openFetchBench, post } from "./fetch-bench.ts";

const { setup, open } = openFetchBench();

describe("what the caller gets", () => {
  test("is the provider's own response, a success as well as an error", async () => {
    const { call, url } = await open(1);
    setup.provider.acts.push(
      { act: "ok" },
      {
        act: "error",
        status: 404,
        body: '{"error":{"message":"no such model"}}',
        headers: { "x-request-id": "r1", "set-cookie": "a=1" },
      },
    );
    const [good, bad] = [await call(), await call()];
    expect([good.status, good.url, good.headers.get("content-type")]).toEqual([200, url, "application/json"]);
    expect(await good.json()).toMatchObject({ choices: [{ message: { content: "forty-two" } }] });
    expect([bad.status, bad.url, bad.headers.get("x-request-id")]).toEqual([404, url, "r1"]);
    expect(bad.headers.getSetCookie()).toEqual(["a=1"]);
    // The caller decides whether to send the request again, because the refusal was not about a key.
    expect(bad.headers.has("x-should-retry")).toBe(false);
    expect(await bad.text()).toBe('{"error":{"message":"no such model"}}');
  });

  test("a 5xx after a rotation is left to the caller's own retries, as any other", async () => {
    const { call } = await open(2);
    const limit = { act: "error" as const, status: 429, body: "{}", headers: { "retry-after": "9" } };
    setup.provider.acts.push(limit, { act: "error", status: 500, body: "{}" });
    const response = await call();
    expect([response.status, response.headers.has("x-should-retry")]).toEqual([500, false]);
  });

  test("of a large error: all of it, though only its beginning is reported", async () => {
    const { call } = await open(1);
    const body = "y".repeat(300_000);
    setup.provider.acts.push({ act: "error", status: 500, body });
    expect((await (await call()).text()).length).toBe(body.length);
  });

  test("of an echo of the key: stars, in body, headers and reason phrase", async () => {
    const { call, keys, log } = await open(1);
    const [key = ""] = keys;
    setup.provider.acts.push({
      act: "error",
      status: 401,
      body: `{"error":{"message":"Incorrect API key provided: ${key}."}}`,
      headers: { "x-echo": key, [`x-${key}`]: "1" },
      reason: `no ${key}`,
    });
    const response = await call();
    expect(response.statusText.replace(/\*+/, "*")).toBe("no *");
    setup.said.push(JSON.stringify([...response.headers.keys()]));
    expect(setup.said.at(-1)).not.toContain(key.toLowerCase());
    setup.said.push(await response.text(), response.headers.get("x-echo") ?? "");
    expect(setup.said.at(-1)).toBe("*".repeat(key.length));
    expect(setup.said.at(-2)).toContain(`provided: ${"*".repeat(key.length)}.`);
    expect(await log()).toMatchObject([{ outcome: "invalid_key" }]);
  });

  test("a reader with a buffer of its own is served, too", async () => {
    const { call, log } = await open(1);
    const reader = (await call()).body?.getReader({ mode: "byob" });
    let bytes = 0;
    for (;;) {
      const read = await reader?.read(new Uint8Array(64));
      bytes += read?.value?.byteLength ?? 0;
      if (read === undefined || read.done) break;
    }
    expect(bytes).toBeGreaterThan(100);
    expect(await log()).toMatchObject([{ outcome: "success" }]);
  });

  test("who gives the body up has had a success", async () => {
    const { call, log } = await open(1);
    setup.provider.acts.push({ act: "stalls" });
    const response = await call({ body: '{"stream": true}' });
    await response.body?.cancel();
    expect(await log()).toMatchObject([{ outcome: "success" }]);
  });
});

describe("where the key goes", () => {
  const place = async (provider: string, path: string, init: RequestInit) => {
    const bench = await setup.bench({ provider, keys: 1 });
    const fetch = bench.keyhub.fetch(provider, { hosts: [setup.provider.origin] });
    const response = await fetch(`${setup.provider.origin}${path}`, init);
    await response.text();
    return { seen: setup.provider.seen.at(-1), key: bench.keys[0], response };
  };

  test.each([
    ["openai", "authorization", { authorization: "Bearer keyhub" }, "Bearer "],
    ["openai", "authorization", {}, "Bearer "],
    ["deepgram", "authorization", { authorization: "Token keyhub" }, "Token "],
    ["anthropic", "x-api-key", { "x-api-key": "keyhub" }, ""],
    ["anthropic", "x-api-key", {}, ""],
    ["gemini", "x-goog-api-key", { "x-goog-api-key": "anything" }, ""],
    ["azure", "api-key", { "api-key": "keyhub" }, ""],
    ["of-our-own", "x-api-key", { "x-api-key": "keyhub" }, ""],
  ])("%s: %s", async (provider, header, headers, before) => {
    const { seen, key } = await place(provider, "/v1/x", { headers: headers as Record<string, string> });
    expect(seen?.headers[header]).toBe(`${before}${key}`);
  });

  test("?key= of Gemini, and nothing else of the address changes; the response does not show it", async () => {
    const { seen, key, response } = await place(
      "gemini",
      "/v1beta/x:generateContent?alt=a%20b+c&key=keyhub&z=1",
      {},
    );
    expect(seen?.path).toBe(`/v1beta/x:generateContent?alt=a%20b+c&key=${key}&z=1`);
    expect(response.url).toBe(`${setup.provider.origin}/v1beta/x:generateContent?alt=a%20b+c&key=keyhub&z=1`);
  });

  test("a header that was not the placeholder's stays", async () => {
    const headers = { "x-api-key": "keyhub", authorization: "Bearer of somebody else" };
    const { seen, key } = await place("anthropic", "/v1/messages", { headers });
    expect([seen?.headers["x-api-key"], seen?.headers.authorization]).toEqual([key, headers.authorization]);
  });

  test("authorize puts it anywhere; what it throws is not told", async () => {
    const { keyhub, keys } = await setup.bench({ provider: "mine", keys: 2 });
    const hosts = [setup.provider.origin];
    const fetch = keyhub.fetch("mine", {
      hosts,
      authorize: ({ headers }, key) => headers.set("authorization", `Basic ${key}`),
    });
    await (await fetch(`${setup.provider.origin}/x`)).text();
    expect(setup.provider.seen[0]?.headers.authorization).toBe(`Basic ${keys[0]}`);
    const failing = keyhub.fetch("mine", {
      hosts,
      authorize: (_, key) => {
        throw new Error(`no place for ${key}`);
      },
    });
    expect(await setup.thrown(failing(`${setup.provider.origin}/x`))).toMatchObject({
      code: "authorize_failed",
    });
    const elsewhere = keyhub.fetch("mine", {
      hosts,
      authorize: ({ url, headers }, key) => {
        url.port = "1";
        headers.set("x", key);
      },
    });
    expect(await setup.thrown(elsewhere(`${setup.provider.origin}/x`))).toMatchObject({
      code: "authorize_failed",
    });
  });

  test("a provider that is not known and a request without a header: one clear error, nothing sent", async () => {
    const { keyhub, log } = await setup.bench({ provider: "mine", keys: 1 });
    const error = await setup.thrown(
      keyhub.fetch("mine", { hosts: [setup.provider.origin] })(`${setup.provider.origin}/x`),
    );
    expect(error).toBeInstanceOf(KeyhubRequestError);
    expect(error.code).toBe("no_key_header");
    expect(setup.provider.seen).toEqual([]);
    expect(await log()).toMatchObject([{ outcome: "unknown" }]);
  });

  test("a key that no header can hold: one clear error without it", async () => {
    const bench = await setup.bench(
      { provider: "openai", keys: 1 },
      { fetch: withKeyOf("sk-with\nline-of-its-own") },
    );
    const error = await setup.thrown(
      bench.keyhub.fetch("openai", { hosts: [setup.provider.origin] })(`${setup.provider.origin}/x`),
    );
    expect(error.code).toBe("unusable_key");
    expect(`${inspect(error)}`).not.toContain("of-its-own");
    expect(setup.provider.seen).toEqual([]);
  });

  /** Returns a key service that leases this key. */
  function withKeyOf(key: string): typeof fetch {
    return async () => Response.json(leaseOf(key));
  }
});

describe("a key goes only to its provider", () => {
  test("another host is refused before a key is asked for, and so is http", async () => {
    const { keyhub, calls } = await setup.bench({ provider: "openai", keys: 1 });
    const targets = [
      "https://evil.example/v1",
      "http://api.openai.com/v1",
      "https://api.openai.com.evil.example/",
      "https://evil-api.openai.com/",
    ];
    for (const url of targets) {
      const error = await setup.thrown(keyhub.fetch("openai")(url, post));
      expect([url, error.code]).toEqual([url, "host_not_listed"]);
    }
    expect(await setup.thrown(keyhub.fetch("nobody-knows")("https://api.openai.com/", post))).toMatchObject({
      code: "host_not_listed",
    });
    expect(calls).toEqual({});
  });

  test.each([301, 302, 303, 307, 308])(
    "a redirect to another origin is refused (%s); the key does not arrive",
    async (status) => {
      const arrived: unknown[] = [];
      const thief = createServer((request, response) => {
        arrived.push(request.headers);
        response.end("{}");
      });
      await new Promise<void>((resolve) => thief.listen(0, "127.0.0.1", resolve));
      try {
        const { keyhub, log } = await setup.bench({ provider: "anthropic", keys: 1 });
        const to = `http://127.0.0.1:${(thief.address() as AddressInfo).port}/v1/messages`;
        setup.provider.acts.push({ act: "redirect", to, status });
        const fetch = keyhub.fetch("anthropic", { hosts: [setup.provider.origin] });
        const error = await setup.thrown(
          fetch(`${setup.provider.origin}/v1/messages`, {
            method: "POST",
            body: "{}",
            headers: { "x-api-key": "keyhub" },
          }),
        );
        expect(error.code).toBe("redirect_refused");
        expect(arrived).toEqual([]);
        expect(await log()).toMatchObject([{ effect: "ignored" }]);
      } finally {
        thief.close();
      }
    },
  );

  test("on the same origin it is followed with the key; round and round it is not", async () => {
    const { call, keys } = await open(1);
    setup.provider.acts.push({ act: "redirect", to: "/v1/there" });
    expect((await call()).status).toBe(200);
    expect(setup.provider.seen).toMatchObject([
      { method: "POST" },
      { method: "POST", path: "/v1/there", key: keys[0], bytes: 2 },
    ]);
    for (let i = 0; i < 9; i += 1) setup.provider.acts.push({ act: "redirect", to: "/again" });
    expect((await setup.thrown(call())).code).toBe("redirect_refused");
  });

  test("redirect: manual gives the answer itself", async () => {
    const { call } = await open(1);
    setup.provider.acts.push({ act: "redirect", to: "https://elsewhere.example/" });
    expect((await call({ redirect: "manual" })).status).toBe(307);
  });
});
