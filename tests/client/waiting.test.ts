import { afterEach, describe, expect, test, vi } from "vitest";
import {
  createKeyhub,
  KeyhubRequestError,
  KeyhubUnavailableError,
  NoKeyError,
} from "../../packages/client/src/index.ts";
import { until } from "../support/until.ts";
import { limit, openFetchBench } from "./fetch-bench.ts";

const { setup, open } = openFetchBench();

describe("no key", () => {
  test("all cool for longer than maxWait: NoKeyError with retryAfter and the request id, at once", async () => {
    const { call, log } = await open(1, { maxWait: "1s" });
    setup.provider.acts.push(limit("600"));
    expect((await call()).status).toBe(429);
    const error = (await setup.thrown(call())) as unknown as NoKeyError;
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
    await setup.db.sql`update user_api_keys set is_active = false`;
    expect(await setup.thrown(call())).toMatchObject({
      name: "NoKeyError",
      code: "no_active_key",
      retryAfter: null,
    });
    const google = keyhub.fetch("groq", { hosts: [setup.provider.origin] });
    expect(await setup.thrown(google(setup.provider.origin))).toMatchObject({
      name: "NoKeyError",
      code: "unknown_provider",
      providers: ["openai"],
    });
    for (const token of ["none", `kh_agent_${"0".repeat(64)}`, "with\nline"]) {
      const stranger = await open(1, { token });
      const error = await setup.thrown(stranger.call());
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
      { maxwait: "5s" },
    ]) {
      expect(() => createKeyhub({ url: "http://x.test", token: "t", ...wrong })).toThrow(KeyhubRequestError);
    }
    vi.stubEnv("SUPABASE_URL", "");
    vi.stubEnv("KEYHUB_URL", "http://x.test");
    vi.stubEnv("KEYHUB_AGENT_TOKEN", "");
    const noToken = /^token is missing: set KEYHUB_AGENT_TOKEN in the environment, or pass .* as token$/;
    expect(() => createKeyhub()).toThrow(noToken);
    expect(() => createKeyhub({ token: "" })).toThrow(noToken);
    vi.stubEnv("KEYHUB_URL", "");
    const noUrl = /^url is missing: set SUPABASE_URL in the environment, or pass .* as url$/;
    expect(() => createKeyhub({ token: "t" })).toThrow(noUrl);
    expect(() => createKeyhub({ url: "", token: "t" })).toThrow(noUrl);
    expect(() => createKeyhub({ url: "nowhere", token: "t" })).toThrow(/^url is not the URL of/);
    vi.stubEnv("SUPABASE_URL", "http://x.test");
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
    expect(setup.provider.seen).toMatchObject([{ key: "sk-of-openai-network" }]);
    expect(calls).toEqual({ "get-active-key": 5 });
    expect(events).toContainEqual({ type: "fallback", provider: "openai", code: "network" });
    const without = await open(1, { maxWait: 0 }, away);
    const error = await setup.thrown(without.call());
    expect(error).toBeInstanceOf(KeyhubUnavailableError);
    // With `maxWait: 0` the caller does not wait, so the service is asked only once.
    expect(without.calls).toEqual({ "get-active-key": 1 });
  });
});

describe("waiting", () => {
  test("callers of one provider share one waiting call, and all are served when the key is ready", async () => {
    const { call, calls, events, log } = await open(1);
    setup.provider.acts.push(limit("2"));
    const first = call();
    await until(() => events.some(({ type }) => type === "wait"));
    const others = Array.from({ length: 20 }, () => call());
    await new Promise((resolve) => setTimeout(resolve, 500));
    // The other callers wait for the first call, and do not ask the service themselves.
    expect(calls["get-active-key"]).toBe(2);
    const responses = await Promise.all([first, ...others]);
    expect(responses.map(({ status }) => status)).toEqual(Array(21).fill(200));
    await Promise.all(responses.map((response) => response.text()));
    expect(calls["get-active-key"]).toBe(2 + 21);
    expect((await log()).filter(({ outcome }) => outcome === "success")).toHaveLength(21);
  });

  test("an abort ends the wait for a key at once", async () => {
    const { call, events, log } = await open(1);
    setup.provider.acts.push(limit("20"));
    const controller = new AbortController();
    const waiting = setup.thrown(call({ signal: controller.signal }));
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
    const asking = setup.thrown(call({ signal: controller.signal }));
    await until(() => calls["get-active-key"] === 1);
    controller.abort();
    await asking;
    release();
    await until(async () => (await log()).some(({ outcome }) => outcome !== null));
    expect(await log()).toMatchObject([
      { outcome: "unreachable", error_code: expect.stringMatching(/^cancel/i) },
    ]);
    expect(setup.provider.seen).toEqual([]);
  });
});
