import { afterEach, describe, expect, test } from "vitest";
import {
  startUpstream,
  type Upstream,
  type UpstreamOptions,
} from "../../packages/local/src/demo/upstream.ts";

const keys = [
  { name: "one", value: "sk-SECRET-one", plan: { calls: 3, windowMs: 1_000 } },
  { name: "two", value: "sk-SECRET-two", plan: { calls: 100, windowMs: 1_000 } },
];
let upstream: Upstream;
afterEach(() => upstream.stop());
/** The provider's clock, in milliseconds: it moves only when it is told to. */
let now = 0;
async function start(options: Partial<UpstreamOptions> = {}): Promise<void> {
  upstream = await startUpstream({ keys, now: () => now, ...options });
}

interface Answer {
  status: number;
  retryAfter: string | null;
  text: string;
}

async function call(key?: string, init: RequestInit = {}): Promise<Answer> {
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const response = await fetch(upstream.url, { method: "POST", headers, ...init });
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
    expect(JSON.parse(refused?.text ?? "")).toEqual({
      error: { message: "Too many requests for this API key." },
    });
    expect((await call("sk-SECRET-two")).status).toBe(200);
    expect(upstream.counts("one")).toEqual({ 200: 3, 429: 2 });
    expect(upstream.counts("two")).toEqual({ 200: 1 });
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

  test("knows a revoked key: 403, whatever its plan, and nothing that reads as another fault", async () => {
    await start();
    upstream.revoke("one");
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => call("sk-SECRET-one")));
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    expect(answers[0]).toMatchObject({ retryAfter: null });
    expect(answers[0]?.text).not.toMatch(/moderation|unsupported_country|region|model/i);
    expect(upstream.counts("one")).toEqual({ 403: 5 });
    expect((await call("sk-SECRET-two")).status).toBe(200);
  });

  test("spoils the share of calls it is told to, and every call of a key in its bad moment", async () => {
    const rolls = [0.5, 0.05, 0.5, 0.95];
    await start({ faultRate: 0.1, random: () => rolls.shift() ?? 0.99 });
    // Two rolls a call: how long it works, and whether it fails.
    expect((await call("sk-SECRET-two")).status).toBe(500);
    expect((await call("sk-SECRET-two")).status).toBe(200);
    upstream.spoil("two", 300);
    expect((await call("sk-SECRET-two")).status).toBe(500);
    expect((await call("sk-SECRET-one")).status).toBe(200);
    now += 299;
    expect((await call("sk-SECRET-two")).status).toBe(500);
    now += 1;
    expect((await call("sk-SECRET-two")).status).toBe(200);
    expect(upstream.counts("two")).toEqual({ 200: 2, 500: 3 });
  });

  test("refuses a key it does not know, in any form, without a word of it", async () => {
    await start();
    const unknown = [undefined, "", "sk-SECRET", "sk-SECRET-one2", "SK-SECRET-ONE"];
    for (const key of unknown) expect((await call(key)).status).toBe(401);
    expect((await call(undefined, { headers: { Authorization: "Basic sk-SECRET-one" } })).status).toBe(401);
    expect(upstream.counts("")).toEqual({ 401: 6 });
    expect(upstream.counts("one")).toEqual({});
  });

  test("has one door, on loopback", async () => {
    await start();
    expect(new URL(upstream.url).hostname).toBe("127.0.0.1");
    expect((await call("sk-SECRET-one", { method: "GET" })).status).toBe(405);
    expect((await fetch(new URL("/v1/keys", upstream.url), { method: "POST" })).status).toBe(404);
    expect(upstream.counts("one")).toEqual({});
  });
});
