import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  createKeyhub,
  KeyhubRequestError,
  KeyhubUnavailableError,
  NoKeyError,
} from "../../packages/client/src/index.ts";
import { until } from "../support/until.ts";
import { openBench } from "./fixture.ts";

const desk = openBench();
const limit = (retryAfter: string) => ({
  act: "error" as const,
  status: 429,
  body: JSON.stringify({
    error: { message: "Rate limit reached", type: "requests", code: "rate_limit_exceeded" },
  }),
  headers: { "retry-after": retryAfter },
});
const post = { method: "POST", body: "{}", headers: { authorization: "Bearer keyhub" } };

const leaseOf = (api_key: string) => ({
  lease_id: "l",
  key_id: "k",
  key_name: "n",
  provider: "openai",
  api_key,
  priority: 0,
  leased_at: "",
  settings: {},
});

/** A client with a pool of so many openai keys, and its fetch for the provider on loopback. */
async function open(
  keys: number,
  ...rest: Parameters<typeof desk.bench> extends [unknown, ...infer R] ? R : never
) {
  const bench = await desk.bench({ provider: "openai", keys }, ...rest);
  const fetch = bench.keyhub.fetch("openai", { hosts: [desk.provider.origin] });
  const url = `${desk.provider.origin}/v1/chat/completions`;
  return { ...bench, fetch, url, call: (init: RequestInit = {}) => fetch(url, { ...post, ...init }) };
}

describe("what the caller gets", () => {
  test("is the provider's own response, a success as well as an error", async () => {
    const { call, url } = await open(1);
    desk.provider.acts.push(
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
    // Whether to send it again is for the caller: it was not a matter of keys.
    expect(bad.headers.has("x-should-retry")).toBe(false);
    expect(await bad.text()).toBe('{"error":{"message":"no such model"}}');
  });

  test("of a large error: all of it, though only its beginning is reported", async () => {
    const { call } = await open(1);
    const body = "y".repeat(300_000);
    desk.provider.acts.push({ act: "error", status: 500, body });
    expect((await (await call()).text()).length).toBe(body.length);
  });

  test("of an echo of the key: stars, in body and headers", async () => {
    const { call, keys, log } = await open(1);
    const [key = ""] = keys;
    desk.provider.acts.push({
      act: "error",
      status: 401,
      body: `{"error":{"message":"Incorrect API key provided: ${key}."}}`,
      headers: { "x-echo": key },
    });
    const response = await call();
    desk.said.push(await response.text(), response.headers.get("x-echo") ?? "");
    expect(desk.said.at(-1)).toBe("*".repeat(key.length));
    expect(desk.said.at(-2)).toContain(`provided: ${"*".repeat(key.length)}.`);
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
    desk.provider.acts.push({ act: "stalls" });
    const response = await call({ body: '{"stream": true}' });
    await response.body?.cancel();
    expect(await log()).toMatchObject([{ outcome: "success" }]);
  });
});

describe("where the key goes", () => {
  const place = async (provider: string, path: string, init: RequestInit) => {
    const bench = await desk.bench({ provider, keys: 1 });
    const fetch = bench.keyhub.fetch(provider, { hosts: [desk.provider.origin] });
    const response = await fetch(`${desk.provider.origin}${path}`, init);
    await response.text();
    return { seen: desk.provider.seen.at(-1), key: bench.keys[0], response };
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
    expect(response.url).toBe(`${desk.provider.origin}/v1beta/x:generateContent?alt=a%20b+c&key=keyhub&z=1`);
  });

  test("a header that was not the placeholder's stays", async () => {
    const headers = { "x-api-key": "keyhub", authorization: "Bearer of somebody else" };
    const { seen, key } = await place("anthropic", "/v1/messages", { headers });
    expect([seen?.headers["x-api-key"], seen?.headers.authorization]).toEqual([key, headers.authorization]);
  });

  test("authorize puts it anywhere; what it throws is not told", async () => {
    const { keyhub, keys } = await desk.bench({ provider: "mine", keys: 2 });
    const hosts = [desk.provider.origin];
    const fetch = keyhub.fetch("mine", {
      hosts,
      authorize: ({ headers }, key) => headers.set("authorization", `Basic ${key}`),
    });
    await (await fetch(`${desk.provider.origin}/x`)).text();
    expect(desk.provider.seen[0]?.headers.authorization).toBe(`Basic ${keys[0]}`);
    const failing = keyhub.fetch("mine", {
      hosts,
      authorize: (_, key) => {
        throw new Error(`no place for ${key}`);
      },
    });
    expect(await desk.thrown(failing(`${desk.provider.origin}/x`))).toMatchObject({
      code: "authorize_failed",
    });
    const elsewhere = keyhub.fetch("mine", {
      hosts,
      authorize: ({ url, headers }, key) => {
        url.port = "1";
        headers.set("x", key);
      },
    });
    expect(await desk.thrown(elsewhere(`${desk.provider.origin}/x`))).toMatchObject({
      code: "authorize_failed",
    });
  });

  test("a provider that is not known and a request without a header: one clear error, nothing sent", async () => {
    const { keyhub, log } = await desk.bench({ provider: "mine", keys: 1 });
    const error = await desk.thrown(
      keyhub.fetch("mine", { hosts: [desk.provider.origin] })(`${desk.provider.origin}/x`),
    );
    expect(error).toBeInstanceOf(KeyhubRequestError);
    expect(error.code).toBe("no_key_header");
    expect(desk.provider.seen).toEqual([]);
    expect(await log()).toMatchObject([{ outcome: "unknown" }]);
  });

  test("a key that no header can hold: one clear error without it", async () => {
    const bench = await desk.bench(
      { provider: "openai", keys: 1 },
      { fetch: withKeyOf("sk-with\nline-of-its-own") },
    );
    const error = await desk.thrown(
      bench.keyhub.fetch("openai", { hosts: [desk.provider.origin] })(`${desk.provider.origin}/x`),
    );
    expect(error.code).toBe("unusable_key");
    expect(`${inspect(error)}`).not.toContain("of-its-own");
    expect(desk.provider.seen).toEqual([]);
  });

  /** A key service that hands out this key. */
  function withKeyOf(key: string): typeof fetch {
    return async () => Response.json(leaseOf(key));
  }
});

describe("a key goes only to its provider", () => {
  test("another host is refused before a key is asked for, and so is http", async () => {
    const { keyhub, calls } = await desk.bench({ provider: "openai", keys: 1 });
    const targets = [
      "https://evil.example/v1",
      "http://api.openai.com/v1",
      "https://api.openai.com.evil.example/",
      "https://evil-api.openai.com/",
    ];
    for (const url of targets) {
      const error = await desk.thrown(keyhub.fetch("openai")(url, post));
      expect([url, error.code]).toEqual([url, "host_not_listed"]);
    }
    expect(await desk.thrown(keyhub.fetch("nobody-knows")("https://api.openai.com/", post))).toMatchObject({
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
        const { keyhub, log } = await desk.bench({ provider: "anthropic", keys: 1 });
        const to = `http://127.0.0.1:${(thief.address() as AddressInfo).port}/v1/messages`;
        desk.provider.acts.push({ act: "redirect", to, status });
        const fetch = keyhub.fetch("anthropic", { hosts: [desk.provider.origin] });
        const error = await desk.thrown(
          fetch(`${desk.provider.origin}/v1/messages`, {
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
    desk.provider.acts.push({ act: "redirect", to: "/v1/there" });
    expect((await call()).status).toBe(200);
    expect(desk.provider.seen).toMatchObject([
      { method: "POST" },
      { method: "POST", path: "/v1/there", key: keys[0], bytes: 2 },
    ]);
    for (let i = 0; i < 9; i += 1) desk.provider.acts.push({ act: "redirect", to: "/again" });
    expect((await desk.thrown(call())).code).toBe("redirect_refused");
  });

  test("redirect: manual gives the answer itself", async () => {
    const { call } = await open(1);
    desk.provider.acts.push({ act: "redirect", to: "https://elsewhere.example/" });
    expect((await call({ redirect: "manual" })).status).toBe(307);
  });
});

describe("no key", () => {
  test("all cool for longer than maxWait: NoKeyError with retryAfter and the request id, at once", async () => {
    const { call, log } = await open(1, { maxWait: "1s" });
    desk.provider.acts.push(limit("600"));
    expect((await call()).status).toBe(429);
    const error = (await desk.thrown(call())) as unknown as NoKeyError;
    expect(error).toBeInstanceOf(NoKeyError);
    expect(error).toMatchObject({
      code: "keys_cooling_down",
      provider: "openai",
      counts: { cooling_down: 1, disabled: 0 },
    });
    expect(error.retryAfter).toBeGreaterThan(590);
    expect(error.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(await log()).toMatchObject([{ outcome: "rate_limited" }]);
  });

  test("none is usable, none of the provider, a token that is none: typed, with the service's code", async () => {
    const { keyhub, call } = await open(1);
    const { status } = await call();
    expect(status).toBe(200);
    await desk.db.sql`update user_api_keys set is_active = false`;
    expect(await desk.thrown(call())).toMatchObject({
      name: "NoKeyError",
      code: "no_active_key",
      retryAfter: null,
    });
    const google = keyhub.fetch("groq", { hosts: [desk.provider.origin] });
    expect(await desk.thrown(google(desk.provider.origin))).toMatchObject({
      name: "NoKeyError",
      code: "unknown_provider",
      providers: ["openai"],
    });
    for (const token of ["none", `kh_agent_${"0".repeat(64)}`, "with\nline"]) {
      const stranger = await open(1, { token });
      const error = await desk.thrown(stranger.call());
      expect(error).toBeInstanceOf(KeyhubRequestError);
      expect(["invalid_credential", "invalid_token"]).toContain(error.code);
    }
  });

  test("settings that are wrong are told at once", () => {
    for (const wrong of [
      { url: "nowhere" },
      { maxAttempts: 0 },
      { maxWait: "soon" },
      { reuse: { for: "1s", uses: 0 } },
      { token: "" },
    ]) {
      expect(() => createKeyhub({ url: "http://x.test", token: "t", ...wrong })).toThrow(KeyhubRequestError);
    }
    vi.stubEnv("SUPABASE_URL", "");
    vi.stubEnv("KEYHUB_URL", "http://x.test");
    vi.stubEnv("KEYHUB_AGENT_TOKEN", "");
    expect(() => createKeyhub()).toThrow(/token/);
    vi.stubEnv("KEYHUB_AGENT_TOKEN", "t");
    expect(() => createKeyhub()).not.toThrow();
  });
  afterEach(() => vi.unstubAllEnvs());

  test("the service does not answer: asked five times, then the fallback's key; nothing is reported of it", async () => {
    const away = async () => {
      throw new TypeError("fetch failed");
    };
    const { call, calls, events } = await open(
      1,
      { fallback: (provider, { code }) => `sk-of-${provider}-${code}` },
      away,
    );
    expect((await call()).status).toBe(200);
    expect(desk.provider.seen).toMatchObject([{ key: "sk-of-openai-network" }]);
    expect(calls).toEqual({ "get-active-key": 5 });
    expect(events).toContainEqual({ type: "fallback", provider: "openai", code: "network" });
    const without = await open(1, { maxWait: 0 }, away);
    const error = await desk.thrown(without.call());
    expect(error).toBeInstanceOf(KeyhubUnavailableError);
    // Nothing to wait with: asked once.
    expect(without.calls).toEqual({ "get-active-key": 1 });
  });
});

describe("waiting", () => {
  test("callers of one provider share one asker, and all are served when the key is back", async () => {
    const { call, calls, events, log } = await open(1);
    desk.provider.acts.push(limit("2"));
    const first = call();
    await until(() => events.some(({ type }) => type === "wait"));
    const others = Array.from({ length: 20 }, () => call());
    await new Promise((resolve) => setTimeout(resolve, 500));
    // They wait with the first, and do not ask.
    expect(calls["get-active-key"]).toBe(2);
    const responses = await Promise.all([first, ...others]);
    expect(responses.map(({ status }) => status)).toEqual(Array(21).fill(200));
    await Promise.all(responses.map((response) => response.text()));
    expect(calls["get-active-key"]).toBe(2 + 21);
    expect((await log()).filter(({ outcome }) => outcome === "success")).toHaveLength(21);
  });

  test("an abort ends the wait for a key at once", async () => {
    const { call, events, log } = await open(1);
    desk.provider.acts.push(limit("20"));
    const controller = new AbortController();
    const waiting = desk.thrown(call({ signal: controller.signal }));
    await until(() => events.some(({ type }) => type === "wait"));
    controller.abort();
    expect(await waiting).toMatchObject({ name: "AbortError" });
    expect(await log()).toMatchObject([{ outcome: "rate_limited" }]);
  });

  test("a key that comes after its caller has gone is reported as cancelled", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { call, calls, log } = await open(1, {}, async (name, send) => {
      if (name === "get-active-key") await held;
      return send();
    });
    const controller = new AbortController();
    const asking = desk.thrown(call({ signal: controller.signal }));
    await until(() => calls["get-active-key"] === 1);
    controller.abort();
    await asking;
    release();
    await until(async () => (await log()).some(({ outcome }) => outcome !== null));
    expect(await log()).toMatchObject([
      { outcome: "unreachable", error_code: expect.stringMatching(/^cancel/i) },
    ]);
    expect(desk.provider.seen).toEqual([]);
  });
});

describe("reports", () => {
  test("a report whose answer is lost is sent again, and counts once", async () => {
    let sent = 0;
    const { call, calls, log } = await open(1, {}, async (name, send) => {
      const response = await send();
      if (name === "set-key-state") sent += 1;
      if (name === "get-active-key" || sent > 2) return response;
      throw new TypeError("fetch failed");
    });
    await (await call()).text();
    expect(await log()).toMatchObject([{ outcome: "success", effect: "none" }]);
    expect(calls["set-key-state"]).toBe(3);
  });

  test("a report that the service never takes is told: onReportLost", async () => {
    const { call, lost, calls, log } = await open(1, {}, async (name, send) =>
      name === "set-key-state" ? new Response("<h1>502</h1>", { status: 502 }) : send(),
    );
    await (await call()).text();
    expect(await log()).toMatchObject([{ outcome: null }]);
    expect(calls["set-key-state"]).toBe(5);
    expect(lost).toMatchObject([
      { provider: "openai", keyName: "key 0", status: "success", errorCode: null, code: "502" },
    ]);
  });

  test("do not delay an answer that another key cannot better", async () => {
    const { call, events, log } = await open(2, {}, async (name, send) => {
      if (name === "set-key-state") await new Promise((resolve) => setTimeout(resolve, 300));
      return send();
    });
    desk.provider.acts.push({ act: "error", status: 500, body: "{}" });
    const response = await call();
    expect(response.status).toBe(500);
    // The report is still on its way.
    expect(events.some(({ type }) => type === "report")).toBe(false);
    expect(await log()).toMatchObject([{ outcome: "server_error" }]);
  });

  test("a hook that throws breaks nothing", async () => {
    const throwing = () => {
      throw new Error("of the caller's own");
    };
    const keyhub = createKeyhub({
      url: "http://keyhub.test",
      token: "t",
      onEvent: throwing,
      onReportLost: throwing,
      fetch: async (input, init) => {
        const url = String(input);
        if (url.endsWith("get-active-key")) return Response.json(leaseOf("sk-1"));
        return url.endsWith("set-key-state") ? new Response(null, { status: 422 }) : fetch(input, init);
      },
    });
    const response = await keyhub.fetch("openai", { hosts: [desk.provider.origin] })(desk.provider.origin);
    expect(response.status).toBe(200);
    await response.text();
    await keyhub.flush();
  });
});

describe("withKey and lease", () => {
  const failing = (fields: object, message = "no") => Object.assign(new Error(message), fields);

  test("what is thrown is read; the next key is tried where the key is to blame", async () => {
    const { keyhub, keys, log } = await desk.bench({ provider: "openai", keys: 3 });
    const used: string[] = [];
    const value = await keyhub.withKey("openai", (key) => {
      used.push(key);
      if (used.length === 1) throw failing({ status: 429, headers: new Headers({ "retry-after": "30" }) });
      if (used.length === 2)
        throw failing({
          statusCode: 401,
          responseBody: '{"error":{"code":"invalid_api_key","message":"Incorrect API key provided"}}',
        });
      return "done";
    });
    expect(value).toBe("done");
    expect(used).toEqual(keys);
    expect(await log()).toMatchObject([
      { outcome: "rate_limited" },
      { outcome: "invalid_key" },
      { outcome: "success" },
    ]);
  });

  test("what is not the key's fault is thrown as it is, once", async () => {
    const { keyhub, log } = await desk.bench({ provider: "openai", keys: 3 });
    for (const [fields, outcome] of [
      [{ status: 500 }, "server_error"],
      [{ code: "ECONNRESET" }, "unreachable"],
      [{ name: "AbortError" }, "unreachable"],
    ] as const) {
      const mine = failing(fields);
      await expect(
        keyhub.withKey("openai", () => {
          throw mine;
        }),
      ).rejects.toBe(mine);
      expect((await log()).at(-1)).toMatchObject({ outcome });
    }
    expect(await log()).toHaveLength(3);
  });

  test("an error that repeats the key is thrown without it", async () => {
    const { keyhub } = await desk.bench({ provider: "openai", keys: 1 });
    const error = await desk.thrown(
      keyhub.withKey("openai", (key) => {
        throw failing({ code: "EINVAL" }, `bad ${key}`);
      }),
    );
    expect(error.message).toMatch(/^bad \*+$/);
  });

  test("lease.report says what cannot be read, once", async () => {
    const { keyhub, log } = await desk.bench({ provider: "openai", keys: 1 });
    await keyhub.withKey("openai", (_, lease) => {
      lease.report({ status: "fail", error_code: "UNAVAILABLE" });
      lease.report("success");
    });
    expect(await log()).toMatchObject([{ outcome: "server_error", error_code: "UNAVAILABLE" }]);
  });

  test("a lease by hand: reported once; disposed without a report, cancelled; its key does not show", async () => {
    const { keyhub, keys, log } = await desk.bench({ provider: "openai", keys: 1 });
    {
      await using lease = await keyhub.lease("openai");
      expect(lease.key).toBe(keys[0]);
      desk.said.push(inspect(lease, { showHidden: true, depth: 5 }), JSON.stringify(lease), String(lease));
    }
    {
      await using lease = await keyhub.lease("openai");
      lease.report("success");
      lease.report(failing({ status: 500 }));
    }
    expect(await log()).toMatchObject([{ outcome: "unreachable" }, { outcome: "success" }]);
  });
});

describe("reuse", () => {
  test("one lease serves several requests, reported once when it is used up", async () => {
    const { call, calls, keyhub, log } = await open(1, { reuse: { for: "1h", uses: 3 } });
    for (let i = 0; i < 4; i += 1) await (await call()).text();
    await keyhub.flush();
    expect(calls["get-active-key"]).toBe(2);
    expect(await log()).toMatchObject([{ outcome: "success" }, { outcome: "success" }]);
    expect(calls["set-key-state"]).toBe(2);
  });

  test("a failure ends it and is its one report; the next key serves", async () => {
    const { call, keys, log } = await open(2, { reuse: { for: "1h", uses: 50 } });
    await (await call()).text();
    desk.provider.byKey.set(keys[0] ?? "", limit("60"));
    const responses = await Promise.all([call(), call(), call()]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    await Promise.all(responses.map((response) => response.text()));
    const rows = await log();
    expect(rows[0]).toMatchObject({ key: "key 0", outcome: "rate_limited" });
    expect(rows.slice(1).every(({ key, outcome }) => key === "key 1" && outcome === "success")).toBe(true);
  });
});
