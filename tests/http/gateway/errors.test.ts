import { describe, expect, test } from "vitest";
import { PROBLEM_TYPE } from "../../../packages/core/src/problem.ts";
import { GATEWAY, openGateway } from "./fixture.ts";

const { desk, call } = openGateway(() => ({ firstByteTimeout: 4_000, maxWait: 1_000 }));

/** Returns a problem, after checking that nothing was sent to the provider. */
async function problem(answer: Promise<{ status: number; headers: Headers; text: string }>) {
  const { status, headers, text } = await answer;
  expect(headers.get("content-type")).toBe(PROBLEM_TYPE);
  const body = JSON.parse(text);
  expect(body).toMatchObject({ status, type: `urn:keyhub:problem:${body.code}`, title: expect.any(String) });
  expect(headers.get("x-request-id")).toBe(body.request_id);
  return { status, headers, body, code: body.code };
}

describe("who calls", () => {
  test.each([
    ["nobody", { authorization: "" }, "missing_credential"],
    ["a text that is no token", { authorization: "Bearer sk-live-of-my-own" }, "invalid_credential"],
    [
      "a token that nobody issued",
      { authorization: `Bearer kh_agent_${"0".repeat(64)}` },
      "invalid_credential",
    ],
    [
      "two tokens in one header",
      { authorization: `Bearer kh_agent_${"0".repeat(64)}, x` },
      "invalid_credential",
    ],
  ])("%s: 401", async (_, headers, code) => {
    const found = await problem(call({ token: "" }, undefined, { headers }));
    expect([found.status, found.code]).toEqual([401, code]);
    expect(found.body.detail).toContain("agent token (kh_agent_…)");
    expect(found.headers.get("www-authenticate")).toBe("Bearer");
    expect(desk.provider.seen).toEqual([]);
  });

  test("an unknown agent learns nothing: not which providers, paths or sizes there are", async () => {
    const token = `kh_agent_${"1".repeat(64)}`;
    const large = { headers: { "content-length": String(21 * 1024 * 1024) } };
    for (const answer of [
      call({ token }, "/nobody/x"),
      call({ token }, "/openai/%2e%2e/x"),
      call({ token }, undefined, large),
    ])
      expect((await problem(answer)).code).toBe("invalid_credential");
  });

  test.each([
    ["authorization", (token: string) => `Bearer ${token}`],
    ["authorization", (token: string) => `Token ${token}`],
    ["x-api-key", String],
    ["x-goog-api-key", String],
    ["api-key", String],
    ["xi-api-key", String],
  ])("the token in %s", async (name, value) => {
    const { token, keys } = await desk.bench({ provider: "anthropic", keys: 1 });
    const { status } = await call({ token }, "/anthropic/v1/messages", {
      headers: { authorization: "", [name]: value(token) },
    });
    expect(status).toBe(200);
    expect(desk.provider.seen).toMatchObject([{ key: keys[0], headers: { "x-api-key": keys[0] } }]);
    // No part of the token is forwarded.
    expect(JSON.stringify(desk.provider.seen)).not.toContain(token);
  });

  test("the token in ?key=, which goes no further", async () => {
    const { token, keys } = await desk.bench({ provider: "gemini", keys: 1 });
    const path = `/gemini/v1beta/models/g:generateContent?alt=a%20b&key=${token}&z=1`;
    expect((await call({ token }, path, { headers: { authorization: "" } })).status).toBe(200);
    expect(desk.provider.seen).toMatchObject([
      { path: "/v1beta/models/g:generateContent?alt=a%20b&z=1", headers: { "x-goog-api-key": keys[0] } },
    ]);
  });

  test("a project's own key beside the token is not taken for it", async () => {
    const { token, keys } = await desk.bench({ provider: "anthropic", keys: 1 });
    const headers = { authorization: "Bearer sb_publishable_x", "x-api-key": token };
    expect((await call({ token }, "/anthropic/v1/messages", { headers })).status).toBe(200);
    expect(desk.provider.seen[0]?.key).toBe(keys[0]);
  });
});

describe("what is asked for", () => {
  test("a provider without an upstream: 404 with those that have one", async () => {
    const found = await problem(call(await desk.bench({ provider: "openai", keys: 1 }), "/nobody/v1/x"));
    expect([found.status, found.code]).toEqual([404, "upstream_not_configured"]);
    expect(found.body.providers).toEqual(expect.arrayContaining(["anthropic", "gemini", "openai"]));
  });

  test("a provider without keys in the pool: 404 with those that have some", async () => {
    const found = await problem(call(await desk.bench({ provider: "openai", keys: 1 }), "/gemini/v1/x"));
    expect([found.status, found.code, found.body.providers]).toEqual([404, "unknown_provider", ["openai"]]);
  });

  test("a method that there is not: 405; a preflight is answered without a token", async () => {
    const found = await problem(call({ token: "" }, undefined, { method: "PROPFIND" }));
    expect([found.status, found.headers.get("allow")]).toEqual([405, expect.stringContaining("PATCH")]);
    const preflight = await desk.service.fetch(`${GATEWAY}/openai/v1/x`, { method: "OPTIONS" });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
  });

  test("a body above 20 MB: 413, announced or not, and no key is asked for", async () => {
    const bench = await desk.bench({ provider: "openai", keys: 1 });
    const announced = call(bench, undefined, { headers: { "content-length": String(20 * 1024 * 1024 + 1) } });
    expect(await problem(announced)).toMatchObject({ status: 413, code: "body_too_large" });
    expect(desk.provider.seen).toEqual([]);
    const piece = new Uint8Array(1024 * 1024);
    let pieces = 0;
    const body = new ReadableStream({
      pull(controller) {
        pieces += 1;
        controller.enqueue(piece);
        if (pieces === 40) controller.close();
      },
    });
    const found = await problem(call(bench, undefined, { body, duplex: "half" } as RequestInit));
    expect(found).toMatchObject({ status: 413, code: "body_too_large" });
    expect(pieces).toBeLessThan(30);
    expect(await bench.log()).toMatchObject([
      { outcome: "unreachable", error_code: expect.stringMatching(/^cancel/i) },
    ]);
  });
});

describe("no key", () => {
  test("all cool for longer than is waited: 503 with Retry-After; the SDK may come again", async () => {
    const bench = await desk.bench({ provider: "openai", keys: 1 });
    desk.provider.acts.push({ act: "error", status: 429, body: "{}", headers: { "retry-after": "600" } });
    expect((await call(bench)).status).toBe(429);
    const found = await problem(call(bench));
    expect(found).toMatchObject({
      status: 503,
      code: "keys_cooling_down",
      body: { counts: { cooling_down: 1 } },
    });
    expect(Number(found.headers.get("retry-after"))).toBeGreaterThan(590);
    expect(found.headers.get("x-should-retry")).toBe(null);
  });

  test("none is usable: 503, and coming again is no use", async () => {
    const bench = await desk.bench({ provider: "openai", keys: 1 });
    await desk.db.sql`update user_api_keys set is_active = false`;
    const found = await problem(call(bench));
    expect(found).toMatchObject({ status: 503, code: "no_active_key" });
    expect(found.headers.get("x-should-retry")).toBe("false");
  });
});

describe("the way to the provider", () => {
  test("no first byte in time: 504, reported as timeout", async () => {
    const bench = await desk.bench({ provider: "openai", keys: 1 });
    desk.provider.acts.push({ act: "hang" });
    const found = await problem(call(bench));
    expect(found).toMatchObject({ status: 504, code: "upstream_timeout", body: { provider: "openai" } });
    expect(await bench.log()).toMatchObject([
      { outcome: "unreachable", error_code: expect.stringMatching(/^timeout/i), effect: "ignored" },
    ]);
  });

  test("a caller that goes while the provider thinks: the lease is reported as cancelled", async () => {
    const bench = await desk.bench({ provider: "openai", keys: 1 });
    desk.provider.acts.push({ act: "hang" });
    const gone = new AbortController();
    const calling = call(bench, undefined, { signal: gone.signal });
    while (desk.provider.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    gone.abort();
    expect((await calling).status).toBe(499);
    expect(await bench.log()).toMatchObject([
      { error_code: expect.stringMatching(/^cancel/i), effect: "ignored" },
    ]);
  });
});

test("a key that no request can hold: 502, and it is not told", async () => {
  const key = "sk-with\nline-of-its-own";
  const bench = await desk.bench({ provider: "openai", keys: 1 }, {}, undefined, () => key);
  const found = await problem(call(bench));
  expect(found).toMatchObject({ status: 502, code: "unusable_key" });
  expect(JSON.stringify(found.body)).not.toContain("of-its-own");
  expect(desk.provider.seen).toEqual([]);
});
