import { describe, expect, test } from "vitest";
import { LONG_TESTS } from "../support/long-tests.ts";
import { limit, openFetchBench } from "./fetch-bench.ts";
import { saysOf } from "./sdk-answers.ts";

const { setup, open } = openFetchBench();
const error = (status: number, body = "{}", headers: Record<string, string> = {}) =>
  ({ act: "error", status, body, headers }) as const;

/** Returns how long the keys of the newest pool are blocked, in seconds, by name. */
async function blocks(): Promise<Record<string, number>> {
  const rows = await setup.db.sql<{ name: string; seconds: number }[]>`
    select k.key_name as name, extract(epoch from coalesce(m.blocked_until, h.blocked_until) - now())::float as seconds
    from user_api_keys k
    join api_key_health h on h.user_api_key_id = k.id
    left join api_key_model_health m on m.user_api_key_id = k.id
    where k.user_id = (select user_id from api_key_usage_log order by issued_at desc limit 1)
    order by 1`;
  return Object.fromEntries(rows.map(({ name, seconds }) => [name, seconds]));
}

describe("a limit of one model", () => {
  const ask = (model: string) => ({ body: JSON.stringify({ model, messages: [] }) });

  test("stops no other model, in the same process and in the next", async () => {
    const { call, keys, events, log } = await open(1, { maxWait: 0 });
    setup.provider.acts.push(limit("600"));
    expect((await call(ask("gpt-pro"))).status).toBe(429);
    await (await call(ask("GPT-Flash"))).text();
    const refused = await setup.thrown(call(ask("gpt-pro")));
    expect(refused).toMatchObject({ code: "keys_cooling_down", counts: { limited: 1, cooling_down: 0 } });
    expect(refused.message).toContain("gpt-pro");
    expect(setup.provider.seen.map(({ key }) => key)).toEqual([keys[0], keys[0]]);
    expect(events.flatMap((event) => (event.type === "lease" ? [event.model] : []))).toEqual([
      "gpt-pro",
      "gpt-flash",
    ]);
    expect(await log()).toMatchObject([{ outcome: "rate_limited" }, { outcome: "success" }]);
  });

  test("a reused lease is of one model", async () => {
    const { call, calls, keyhub } = await open(1, { reuse: { for: "1h", uses: 50 } });
    for (const model of ["a", "b", "a", "b"]) await (await call(ask(model))).text();
    await keyhub.flush();
    expect(calls).toEqual({ "get-active-key": 2, "set-key-state": 2 });
  });

  test.each([
    ["fetch", { model: "models/Given" }, "given"],
    ["a name that the service refuses is left out", { model: "a\nb" }, null],
  ])("given to %s", async (_, options, model) => {
    const { keyhub, url, events } = await open(1);
    const hosts = [setup.provider.origin];
    await (
      await keyhub.fetch("openai", { hosts, ...options })(url, { method: "POST", ...ask("other") })
    ).text();
    await keyhub.withKey("openai", () => "done", options);
    await using lease = await keyhub.lease("openai", options);
    lease.report("success");
    const leases = events.filter(({ type }) => type === "lease");
    expect(leases).toMatchObject([{ model }, { model }, { model }]);
    await keyhub.flush();
  });
});

describe("a failure that is the request's own", () => {
  const organization = (message: string, code: string) =>
    error(401, JSON.stringify({ error: { message, type: "invalid_request_error", code } }));

  const refusals: [name: string, refusal: ReturnType<typeof error>][] = [
    [
      "a wrong OpenAI-Organization header",
      organization(
        "OpenAI-Organization header should match organization for API key",
        "mismatched_organization",
      ),
    ],
    ["an organization that is none", organization("No such organization: org-none.", "invalid_organization")],
    [
      "an improper prompt",
      error(
        403,
        JSON.stringify({
          errors: ["Your request was flagged by our content moderation system."],
          name: "content_moderation",
        }),
      ),
    ],
  ];
  // tests/unit/provider-errors/ reads each of these answers as a fault of the request.
  test.each(LONG_TESTS ? refusals : refusals.slice(0, 1))(
    "%s, three times: a colleague has every key, the best first",
    async (_, refusal) => {
      const { call, keys, keyhub, log } = await open(3, { maxWait: 0 });
      for (const key of keys) setup.provider.byKey.set(key, refusal);
      for (let i = 0; i < 3; i += 1) expect((await call()).status).toBe(refusal.status);
      await keyhub.flush();
      expect(Object.values(await blocks()).filter((seconds) => seconds > 0)).toEqual([]);
      setup.provider.byKey.clear();
      for (let i = 0; i < 3; i += 1) await (await call()).text();
      // Each request was sent once: no other key was used, and none was blocked for a moment.
      expect(setup.provider.seen.map(({ key }) => key)).toEqual(Array(6).fill(keys[0]));
      expect((await log()).map(({ outcome }) => outcome)).toEqual([
        ...Array(3).fill("caller_fault"),
        ...Array(3).fill("success"),
      ]);
    },
  );
});

describe("dead keys", () => {
  const dead = { act: "error" as const, ...saysOf("openai").dead };

  test("at most eight calls in all", async () => {
    const { call, keys } = await open(10);
    for (const key of keys) setup.provider.byKey.set(key, dead);
    expect((await call()).status).toBe(401);
    expect(setup.provider.seen.map(({ key }) => key)).toEqual(keys.slice(0, 8));
  });

  test("a key whose failure ended a call is not leased again, and the answer does not wait for its report", async () => {
    const { call, keys, events } = await open(2, { maxAttempts: 1 }, async (name, send) => {
      if (name === "set-key-state") await new Promise((resolve) => setTimeout(resolve, 300));
      return send();
    });
    setup.provider.byKey.set(keys[0] ?? "", dead);
    expect((await call()).status).toBe(401);
    expect(events.some(({ type }) => type === "report")).toBe(false);
    expect((await call()).status).toBe(200);
    expect(setup.provider.seen.map(({ key }) => key)).toEqual(keys);
  });
});

describe("waits", () => {
  const forms: [name: string, headers: Record<string, string>, seconds: number][] = [
    ["hours in seconds", { "retry-after": "18000" }, 18_000],
    ["Unix time", { "x-ratelimit-reset": String(Math.floor(Date.now() / 1000) + 7_200) }, 7_200],
    ["a day", { "retry-after": "86400" }, 86_400],
    ["a day in milliseconds", { "retry-after-ms": "86400000" }, 86_400],
    ["the reset of a limit", { "x-ratelimit-reset-requests": "6m0s" }, 360],
  ];
  // tests/unit/rotate.test.ts reads every form of a wait.
  test.each(LONG_TESTS ? forms : forms.slice(0, 2))(
    "%s: the key rests so long",
    async (_, headers, seconds) => {
      const { call, log } = await open(1, { maxWait: 0 });
      setup.provider.acts.push(error(429, "{}", headers));
      expect((await call()).status).toBe(429);
      await log();
      const { "key 0": rests = 0 } = await blocks();
      expect(rests).toBeGreaterThan(seconds - 120);
      expect(rests).toBeLessThan(seconds + 5);
    },
  );

  test("every key that was tried is at its limit: the request waits for the soonest, within maxWait", async () => {
    const { call, keys, events } = await open(5, { maxWait: "10s" });
    for (const key of keys) setup.provider.byKey.set(key, limit("2"));
    const answer = call();
    setTimeout(() => setup.provider.byKey.clear(), 1_500);
    expect((await answer).status).toBe(200);
    expect(setup.provider.seen.map(({ key }) => keys.indexOf(key))).toEqual([0, 1, 2, 3]);
    expect(events.filter(({ type }) => type === "wait")).toHaveLength(1);
  });

  test("and gives the last answer when the soonest is too late, at once", async () => {
    const { call, keys } = await open(5, { maxWait: "10s" });
    for (const key of keys) setup.provider.byKey.set(key, limit("20"));
    expect((await call()).status).toBe(429);
    expect(setup.provider.seen).toHaveLength(3);
  });

  test("an abort ends the wait", async () => {
    const { call, keys, events } = await open(3, { maxWait: "30s", maxAttempts: 2 });
    for (const key of keys) setup.provider.byKey.set(key, limit("20"));
    const controller = new AbortController();
    const waiting = setup.thrown(call({ signal: controller.signal }));
    while (!events.some(({ type }) => type === "wait"))
      await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    expect(await waiting).toMatchObject({ name: "AbortError" });
  });
});

describe("retryServerErrors", () => {
  test("a 5xx and a broken connection are sent again so often, each reported", async () => {
    const { call, log } = await open(2, { retryServerErrors: 2 });
    setup.provider.acts.push(error(500), { act: "closes" });
    const served = await call();
    expect([served.status, await served.text()]).toEqual([200, expect.stringContaining("forty-two")]);
    setup.provider.acts.push(error(503), error(503), error(503));
    const response = await call();
    expect([response.status, response.headers.has("x-should-retry")]).toEqual([503, false]);
    expect((await log()).map(({ outcome }) => outcome)).toEqual([
      "server_error",
      "unreachable",
      "success",
      ...Array(3).fill("server_error"),
    ]);
  });

  test("is 0: the caller's own retries see each", async () => {
    const { call } = await open(2);
    setup.provider.acts.push(error(500), { act: "closes" });
    expect((await call()).status).toBe(500);
    await setup.thrown(call());
    expect(setup.provider.seen).toHaveLength(2);
  });

  test("with withKey, too; a refused redirect and an abort are none", async () => {
    const { keyhub, call, log } = await open(1, { retryServerErrors: 1 });
    let calls = 0;
    const value = await keyhub.withKey("openai", () => {
      calls += 1;
      if (calls === 1) throw Object.assign(new Error("gone"), { code: "ECONNRESET" });
      return calls;
    });
    expect(value).toBe(2);
    setup.provider.acts.push({ act: "redirect", to: "https://elsewhere.example/" });
    await setup.thrown(call());
    expect(await log()).toMatchObject([
      { outcome: "unreachable" },
      { outcome: "success" },
      { outcome: "unknown" },
    ]);
  });
});

test("a cancelled report is an event of that name", async () => {
  const { keyhub, events } = await open(1);
  {
    await using _ = await keyhub.lease("openai");
  }
  await keyhub.flush();
  expect(events.at(-1)).toMatchObject({ type: "report", outcome: "cancelled" });
});
