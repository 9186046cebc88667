import { randomUUID } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { readKeyring } from "../../packages/core/src/keys/seal.ts";
import { required } from "../../supabase/functions/_shared/database.ts";
import { OpenedKeys } from "../../supabase/functions/_shared/lease.ts";
import { getActiveKey } from "../../supabase/functions/get-active-key/handler.ts";
import { cloneDatabase } from "../support/database.ts";
import { LONG_TESTS } from "../support/long-tests.ts";
import { forgeToken, inProcess } from "../support/service.ts";
import { keyServiceSuite } from "./key-service.ts";

describe("handlers, Request to Response in this process", () => {
  keyServiceSuite(inProcess, { many: LONG_TESTS });
});

describe("when something is away", () => {
  test("a database that does not answer: 503 with Retry-After, and a log line with the request id", async () => {
    const db = await cloneDatabase();
    const away = new URL(db.url);
    // Nothing listens on this port. A port that is only free now may belong to another test in a moment.
    away.port = "1";
    const service = await inProcess({ ...db, url: away.href });
    const exp = Math.floor(Date.now() / 1000) + 600;
    const accessToken = forgeToken({ sub: randomUUID(), role: "authenticated", aud: "authenticated", exp });
    for (const credential of [accessToken, `kh_agent_${"0".repeat(64)}`]) {
      const response = await service.fetch("/functions/v1/get-active-key", {
        method: "POST",
        headers: { Authorization: `Bearer ${credential}` },
      });
      const body = await response.json();
      expect(body, service.console.join("\n")).toMatchObject({ status: 503, code: "unavailable" });
      expect(response.status).toBe(503);
      expect(response.headers.get("retry-after")).toBe("1");
      expect(service.console.join("\n")).toContain(body.request_id);
    }
    await service.stop();
    await db.drop();
  });

  test("an address that is none, as an odd Host header makes it, is not found", async () => {
    const handler = getActiveKey({
      database: { callRpc: () => Promise.reject(), verifyToken: () => Promise.reject() },
      keyring: () => Promise.reject(),
      opened: new OpenedKeys(Date.now),
      random: Math.random,
    });
    // A server makes the URL from the Host header, which may be invalid. `new Request` would refuse such a URL.
    const request = { url: "http://a b<>/get-active-key", method: "POST", headers: new Headers() };
    expect((await handler(request as Request)).status).toBe(404);
  });

  test("a function without its private keys: 500 without detail; the log names the setting", async () => {
    const handler = getActiveKey({
      database: {
        callRpc: () => Promise.reject(),
        verifyToken: () => Promise.reject(),
      },
      keyring: async () => readKeyring(required(() => undefined, "KEYHUB_UNSEAL_KEYS")),
      opened: new OpenedKeys(Date.now),
      random: Math.random,
    });
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const response = await handler(
      new Request("http://in-process.test/get-active-key", {
        method: "POST",
        headers: { Authorization: `Bearer kh_agent_${"0".repeat(64)}` },
      }),
    );
    const body = await response.json();
    expect(body).toMatchObject({ status: 500, code: "internal_error" });
    expect(body).not.toHaveProperty("detail");
    expect(logged.mock.calls.join()).toContain(
      `request ${body.request_id} failed: KEYHUB_UNSEAL_KEYS is not set`,
    );
    logged.mockRestore();
  });
});

describe("opened keys", () => {
  const sealed = { key_id: "a", generation: 1, user_id: "u", api_key_encrypted: "text" };

  test("are kept for five minutes, at most a thousand", () => {
    let now = 0;
    const opened = new OpenedKeys(() => now);
    opened.set(sealed, "sk-1");
    now = 299_999;
    expect(opened.get(sealed)).toBe("sk-1");
    now = 300_000;
    expect(opened.get(sealed)).toBeUndefined();
    const nth = (i: number) => ({ ...sealed, key_id: `k${i}` });
    for (let i = 0; i <= 1_000; i += 1) opened.set(nth(i), "sk");
    expect(opened.get(nth(0))).toBeUndefined();
    expect(opened.get(nth(1))).toBe("sk");
    expect(opened.get(nth(1000))).toBe("sk");
  });

  test.each([
    ["key", { key_id: "b" }],
    ["generation", { generation: 2 }],
    ["owner", { user_id: "v" }],
    ["text", { api_key_encrypted: "other" }],
  ])("are not remembered for another %s", (_, change) => {
    const opened = new OpenedKeys(() => 0);
    opened.set(sealed, "sk-1");
    expect(opened.get({ ...sealed, ...change })).toBeUndefined();
  });
});
