import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { createKeyhub } from "../../packages/client/src/index.ts";
import { leaseOf, limit, openFetchBench } from "./fetch-bench.ts";

const { setup, open } = openFetchBench();

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
    setup.provider.acts.push({ act: "error", status: 500, body: "{}" });
    const response = await call();
    expect(response.status).toBe(500);
    // The report is still on its way.
    expect(events.some(({ type }) => type === "report")).toBe(false);
    expect(await log()).toMatchObject([{ outcome: "server_error" }]);
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("of the caller's own");
      },
    ],
    // An error that nobody catches would fail the run.
    ["rejects", () => Promise.reject(new Error("of the caller's own"))],
  ])("a hook that %s breaks nothing", async (_, throwing) => {
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
    const response = await keyhub.fetch("openai", { hosts: [setup.provider.origin] })(setup.provider.origin);
    expect(response.status).toBe(200);
    await response.text();
    await keyhub.flush();
  });
});

describe("withKey and lease", () => {
  const failing = (fields: object, message = "no") => Object.assign(new Error(message), fields);

  test("what is thrown is read; the next key is tried where the key is to blame", async () => {
    const { keyhub, keys, log } = await setup.bench({ provider: "openai", keys: 3 });
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
    const { keyhub, log } = await setup.bench({ provider: "openai", keys: 3 });
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
    const { keyhub } = await setup.bench({ provider: "openai", keys: 1 });
    const error = await setup.thrown(
      keyhub.withKey("openai", (key) => {
        throw failing({ code: "EINVAL" }, `bad ${key}`);
      }),
    );
    expect(error.message).toMatch(/^bad \*+$/);
  });

  test("lease.report says what cannot be read, once", async () => {
    const { keyhub, log } = await setup.bench({ provider: "openai", keys: 1 });
    await keyhub.withKey("openai", (_, lease) => {
      lease.report({ status: "fail", error_code: "UNAVAILABLE" });
      lease.report("success");
    });
    expect(await log()).toMatchObject([{ outcome: "server_error", error_code: "UNAVAILABLE" }]);
  });

  test("a lease by hand: reported once; disposed without a report, cancelled; its key does not show", async () => {
    const { keyhub, keys, log } = await setup.bench({ provider: "openai", keys: 1 });
    {
      await using lease = await keyhub.lease("openai");
      expect(lease.key).toBe(keys[0]);
      setup.said.push(inspect(lease, { showHidden: true, depth: 5 }), JSON.stringify(lease), String(lease));
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
    setup.provider.byKey.set(keys[0] ?? "", limit("60"));
    const responses = await Promise.all([call(), call(), call()]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    await Promise.all(responses.map((response) => response.text()));
    const rows = await log();
    expect(rows[0]).toMatchObject({ key: "key 0", outcome: "rate_limited" });
    expect(rows.slice(1).every(({ key, outcome }) => key === "key 1" && outcome === "success")).toBe(true);
  });
});
