import { randomUUID } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { readKeyring } from "../../packages/core/src/keys/seal.ts";
import { freePort } from "../../packages/local/src/index.ts";
import { required } from "../../supabase/functions/_shared/database.ts";
import { getActiveKey } from "../../supabase/functions/get-active-key/handler.ts";
import { OpenedKeys } from "../../supabase/functions/get-active-key/opened-keys.ts";
import { cloneDatabase } from "../support/database.ts";
import { forgeToken, inProcess } from "../support/service.ts";
import { keyServiceSuite } from "./key-service.ts";

describe("handlers, Request to Response in this process", () => {
  keyServiceSuite(inProcess);
});

describe("when something is away", () => {
  test("a database that does not answer: 503 with Retry-After, and a log line with the request id", async () => {
    const db = await cloneDatabase();
    const away = new URL(db.url);
    away.port = String(await freePort());
    const service = await inProcess({ ...db, url: away.href });
    const exp = Math.floor(Date.now() / 1000) + 600;
    const accessToken = forgeToken({ sub: randomUUID(), role: "authenticated", aud: "authenticated", exp });
    for (const credential of [accessToken, `kh_agent_${"0".repeat(64)}`]) {
      const response = await service.fetch("/functions/v1/get-active-key", {
        method: "POST",
        headers: { Authorization: `Bearer ${credential}` },
      });
      const body = await response.json();
      expect(body).toMatchObject({ status: 503, code: "unavailable" });
      expect(response.status).toBe(503);
      expect(response.headers.get("retry-after")).toBe("1");
      expect(service.console.join("\n")).toContain(body.request_id);
    }
    await service.stop();
    await db.drop();
  });

  test("a function without its private keys: 500 without detail; the log names the setting", async () => {
    const handler = getActiveKey({
      database: { callRpc: () => Promise.reject(), verifyToken: () => Promise.reject() },
      keyring: async () => readKeyring(required(() => undefined, "KEYHUB_UNSEAL_KEYS")),
      opened: new OpenedKeys(Date.now),
    });
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const response = await handler(
      new Request("http://in-process.test", {
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
  test("are kept by key and generation, for five minutes, at most a thousand", () => {
    let now = 0;
    const opened = new OpenedKeys(() => now);
    opened.set("a", 1, "sk-1");
    expect(opened.get("a", 1)).toBe("sk-1");
    expect(opened.get("a", 2)).toBeUndefined();
    now = 299_999;
    expect(opened.get("a", 1)).toBe("sk-1");
    now = 300_000;
    expect(opened.get("a", 1)).toBeUndefined();
    for (let i = 0; i <= 1_000; i += 1) opened.set(`k${i}`, 1, "sk");
    expect(opened.get("k0", 1)).toBeUndefined();
    expect(opened.get("k1", 1)).toBe("sk");
    expect(opened.get("k1000", 1)).toBe("sk");
  });
});
