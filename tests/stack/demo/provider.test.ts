import { afterEach, describe, expect, test } from "vitest";
import {
  type DemoProvider,
  type DemoProviderOptions,
  startProvider,
} from "../../../packages/local/src/demo/provider.ts";

const keys = [
  {
    name: "one",
    value: "sk-SECRET-one",
    plan: { calls: 3, windowMs: 1_000 },
    provider: "anthropic" as const,
  },
  { name: "two", value: "sk-SECRET-two", plan: { calls: 100, windowMs: 1_000 }, provider: "gemini" as const },
];
let provider: DemoProvider;
afterEach(() => provider.stop());
/** The provider's clock, in milliseconds; only the test moves it. */
let now = 0;
async function start(options: Partial<DemoProviderOptions> = {}): Promise<void> {
  provider = await startProvider({ keys, now: () => now, ...options });
}

interface Answer {
  status: number;
  retryAfter: string | null;
  text: string;
}

async function call(key?: string, init: RequestInit = {}): Promise<Answer> {
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const response = await fetch(provider.url, { method: "POST", headers, ...init });
  const text = await response.text();
  const seen = JSON.stringify([...response.headers]) + text;
  expect(seen).not.toContain("SECRET");
  return { status: response.status, retryAfter: response.headers.get("retry-after"), text };
}

describe("the demo's provider", () => {
  test("serves a key within its plan, then 429 with Retry-After; the other key is not concerned", async () => {
    await start();
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => call("sk-SECRET-one")));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429]);
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.retryAfter).toBe("1");
    expect(JSON.parse(refused?.text ?? "")).toMatchObject({
      type: "error",
      error: { type: "rate_limit_error" },
    });
    expect((await call("sk-SECRET-two")).status).toBe(200);
    expect(provider.counts("one")).toEqual({ 200: 3, 429: 2 });
    expect(provider.counts("two")).toEqual({ 200: 1 });
  });

  test("counts each model by itself, and keys of an account together; an improper prompt is refused whatever the limit", async () => {
    const shared = { plan: { calls: 3, windowMs: 1_000 }, provider: "openai" as const, account: "a" };
    await start({
      keys: ["x", "y"].map((name) => ({ ...shared, name, value: `sk-SECRET-${name}` })),
    });
    const asked = async (key: string, body: object) =>
      (await call(`sk-SECRET-${key}`, { body: JSON.stringify(body) })).status;
    // The limit of the model pro is a third of the plan's three calls: one call.
    expect(await asked("x", { model: "pro" })).toBe(200);
    expect(await asked("y", { model: "pro" })).toBe(429);
    for (const key of ["x", "y", "y"]) expect(await asked(key, { model: "flash" })).toBe(200);
    expect(await asked("x", { model: "flash" })).toBe(429);
    expect(await asked("x", { model: "flash", improper: true })).toBe(400);
  });

  test("serves again after the time it named", async () => {
    await start();
    for (let calls = 0; calls < 3; calls += 1) await call("sk-SECRET-one");
    const { status, retryAfter } = await call("sk-SECRET-one");
    expect(status).toBe(429);
    now += Number(retryAfter) * 1_000 - 1;
    expect((await call("sk-SECRET-one")).status).toBe(429);
    now += 1;
    expect((await call("sk-SECRET-one")).status).toBe(200);
  });

  test("knows a revoked key, whatever its plan", async () => {
    await start();
    provider.revoke("one");
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => call("sk-SECRET-one")));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    expect(answers[0]).toMatchObject({ retryAfter: null });
    expect(provider.isRevoked("one")).toBe(true);
    expect(provider.isRevoked("two")).toBe(false);
    expect(provider.counts("one")).toEqual({ 401: 5 });
    expect((await call("sk-SECRET-two")).status).toBe(200);
  });

  test("spoils the share of calls it is told to, and every call of a key in its bad moment", async () => {
    const rolls = [0.5, 0.5, 0.05, 0.5, 0.5, 0.95];
    await start({ faultRate: 0.1, random: () => rolls.shift() ?? 0.99 });
    // Each call uses three random numbers: whether it reaches the provider, how long it works, and whether it fails.
    expect((await call("sk-SECRET-two")).status).toBe(503);
    expect((await call("sk-SECRET-two")).status).toBe(200);
    provider.spoil("two", 300);
    expect((await call("sk-SECRET-two")).status).toBe(503);
    expect((await call("sk-SECRET-one")).status).toBe(200);
    now += 299;
    expect((await call("sk-SECRET-two")).status).toBe(503);
    now += 1;
    expect((await call("sk-SECRET-two")).status).toBe(200);
    expect(provider.counts("two")).toEqual({ 200: 2, 503: 3 });
  });

  test("sometimes a proxy answers in its place, and the plan does not notice", async () => {
    const rolls = [0];
    await start({ proxyRate: 0.5, random: () => rolls.shift() ?? 0.99 });
    const { status, text } = await call("sk-SECRET-one");
    expect(status).toBe(403);
    expect(text).toMatch(/^<.*html/i);
    for (let calls = 0; calls < 3; calls += 1) expect((await call("sk-SECRET-one")).status).toBe(200);
    expect(provider.counts("one")).toEqual({ 200: 3, "403 page": 1 });
  });

  test.each([
    ["openai", null, /try again in 1\.2s/],
    ["anthropic", "1", /rate_limit_error/],
    ["gemini", null, /"retryDelay":"1s"/],
  ] as const)("names the wait as %s does", async (imitated, header, body) => {
    const plan = { calls: 0, windowMs: 1_000 };
    await start({ keys: [{ name: "k", value: "sk-SECRET", plan, provider: imitated }] });
    await call("sk-SECRET");
    const { status, retryAfter, text } = await call("sk-SECRET");
    expect([status, retryAfter]).toEqual([429, header]);
    expect(text).toMatch(body);
  });

  test("refuses a key it does not know, in any form, without a word of it", async () => {
    await start();
    const unknown = [undefined, "", "sk-SECRET", "sk-SECRET-one2", "SK-SECRET-ONE"];
    for (const key of unknown) expect((await call(key)).status).toBe(401);
    expect((await call(undefined, { headers: { Authorization: "Basic sk-SECRET-one" } })).status).toBe(401);
    expect(provider.counts("")).toEqual({ 401: 6 });
    expect(provider.counts("one")).toEqual({});
  });

  test("leaves the Request and Response of its process as they are", async () => {
    await start();
    // The answer is of Node's own class, so the provider has not replaced the global Response.
    expect(await fetch(provider.url)).toBeInstanceOf(Response);
  });

  test("has one door, on loopback", async () => {
    await start();
    expect(new URL(provider.url).hostname).toBe("127.0.0.1");
    expect((await call("sk-SECRET-one", { method: "GET" })).status).toBe(404);
    expect((await fetch(new URL("/v1/keys", provider.url), { method: "POST" })).status).toBe(404);
    expect(provider.counts("one")).toEqual({});
  });
});
