import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Alert, messageOf } from "../../packages/core/src/keys/alerts.ts";
import { type Clone, cloneDatabase } from "../support/database.ts";
import type { AlertParts } from "../support/functions/keyhub-alerts.ts";
import { addKey, lease, makeUser, report } from "../support/keys.ts";
import { inProcess, type Service, secretKey } from "../support/service.ts";

/* Tests keyhub-alerts with a real receiver on loopback. */

const SECRET = `whsec_${Buffer.from("a receiver's secret of thirty bytes").toString("base64")}`;

interface Told {
  headers: Record<string, string>;
  body: string;
}

let db: Clone;
let told: Told[];
/** The answers to the next calls, in order. When none is left, the receiver answers 204. */
let acts: ((response: ServerResponse) => void)[];
const receiver = createServer(async (request: IncomingMessage, response: ServerResponse) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  told.push({ headers: request.headers as Record<string, string>, body });
  const act = acts.shift();
  if (act) act(response);
  else response.writeHead(204).end();
});
let url: string;
let service: Service;
/** The service reads `env` in each call, and calls these functions in each call. */
const sender: { fetch: typeof fetch; resolve: NonNullable<AlertParts["sender"]>["resolve"] } = {
  fetch,
  resolve: undefined,
};
const parts = {
  secretKeys: [secretKey],
  env: {} as Record<string, string>,
  sender: {
    fetch: (...call) => sender.fetch(...call),
    resolve: async (...call) => (await sender.resolve?.(...call)) ?? [],
  },
} satisfies AlertParts;
let loggedBefore = 0;

beforeAll(async () => {
  db = await cloneDatabase();
  service = await inProcess(db, undefined, {}, parts);
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});
afterAll(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await service?.stop();
  await db?.drop();
});
beforeEach(async () => {
  await db.sql`delete from api_key_alerts`;
  told = [];
  acts = [];
  Object.assign(sender, { fetch, resolve: undefined });
  loggedBefore = service.console.length;
});

/** Calls keyhub-alerts with these settings, as a scheduler does. */
async function tick(
  env: Record<string, string> = {},
  headers: Record<string, string> = { apikey: secretKey },
): Promise<{ status: number; body: unknown }> {
  parts.env = { KEYHUB_ALERT_URL: url, KEYHUB_ALERT_SECRET: SECRET, ...env };
  const response = await service.fetch("/functions/v1/keyhub-alerts", { method: "POST", headers });
  return { status: response.status, body: await response.json() };
}

/** Returns what the service has logged since the test began. */
const logged = () => service.console.slice(loggedBefore).join("\n");

/** Causes the alerts of a key that died and of a pool in which no key can be leased. */
async function starve(): Promise<string> {
  const userId = await makeUser(db.sql);
  await addKey(db.sql, userId, { provider: "openai", name: "main @everyone <!channel>" });
  const { lease_id } = await lease(db.sql, userId);
  await report(db.sql, userId, { leaseId: lease_id, code: 403 });
  await db.sql`select lease_api_key(user_id => ${userId}, provider => 'openai', live_kids => '{}')`;
  return userId;
}

const unsent = async () =>
  (await db.sql`select count(*)::int as count from api_key_alerts where sent_at is null`)[0]?.count;

describe("keyhub-alerts", () => {
  test("sends each alert once, oldest first, signed as the library of Standard Webhooks verifies it, with a sentence for Slack and Discord", async () => {
    const userId = await starve();
    expect(await tick()).toEqual({ status: 200, body: { configured: true, sent: 2, failed: 0 } });
    expect(await tick()).toMatchObject({ body: { sent: 0, failed: 0 } });
    const messages = told.map(
      ({ headers, body }) => new Webhook(SECRET).verify(body, headers) as Record<string, unknown>,
    );
    expect(messages).toMatchObject([
      { type: "key_disabled", data: { user_id: userId, provider: "openai" } },
      { type: "pool_starved", data: { user_id: userId, provider: "openai", detail: { disabled: 1 } } },
    ]);
    for (const { text, content, timestamp } of messages) {
      expect(content).toBe(text);
      expect(new Date(String(timestamp)).getTime()).toBeGreaterThan(Date.now() - 60_000);
      expect(text).not.toMatch(/[@<>!]/);
    }
    expect(messages.map(({ text }) => text)).toEqual([
      `Keyhub: the provider says that key "main everyone channel" (openai) of pool ${userId} is dead (403); it is disabled.`,
      `Keyhub: none of the openai keys of pool ${userId} can be leased, and none comes back by itself. Add, enable or replace one.`,
    ]);
    expect(() => new Webhook(SECRET).verify(`${told[0]?.body} `, told[0]?.headers ?? {})).toThrow();
  });

  test("two calls at once send each alert once", async () => {
    await starve();
    await Promise.all([tick(), tick(), tick()]);
    expect(told).toHaveLength(2);
    expect(await unsent()).toBe(0);
  });

  test.each<[string, (response: ServerResponse) => void, number]>([
    ["answers 500", (response) => response.writeHead(500).end("no"), 3],
    ["closes the connection", (response) => response.socket?.destroy(), 3],
    ["redirects", (response) => response.writeHead(307, { location: url }).end(), 1],
    ["says that the address is gone", (response) => response.writeHead(410).end(), 1],
  ])("a receiver that %s: the rest waits for the next call", async (_, act, calls) => {
    await starve();
    acts = [act, act, act];
    expect(await tick()).toEqual({ status: 200, body: { configured: true, sent: 0, failed: 2 } });
    expect(told).toHaveLength(calls);
    expect(new Set(told.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    expect(logged()).toContain("the receiver of alerts did not take 2");
    acts = [];
    expect(await tick()).toMatchObject({ body: { sent: 2, failed: 0 } });
  });

  test("a receiver whose answer never ends is not read; one that never answers is given up", async () => {
    await starve();
    acts = [
      (response) => {
        response.writeHead(200, { "content-type": "text/plain" });
        const timer = setInterval(() => response.write("x".repeat(65_536)), 1);
        response.on("close", () => clearInterval(timer));
      },
    ];
    expect(await tick()).toMatchObject({ body: { sent: 2, failed: 0 } });
    await starve();
    const given: (AbortSignal | null | undefined)[] = [];
    sender.fetch = (input, init) => {
      given.push(init?.signal);
      return fetch(input, { ...init, signal: AbortSignal.timeout(100) });
    };
    acts = [() => {}, () => {}, () => {}];
    expect(await tick()).toMatchObject({ body: { sent: 0, failed: 2 } });
    expect(given).toHaveLength(3);
    for (const signal of given) expect(signal).toBeInstanceOf(AbortSignal);
  });

  test("a host that leads to a private address is not called", async () => {
    await starve();
    const env = { KEYHUB_ALERT_URL: "https://hooks.example.com/x" };
    sender.resolve = async () => ["10.0.0.7"];
    sender.fetch = async () => {
      throw new Error("called");
    };
    expect(await tick(env)).toMatchObject({ body: { sent: 0, failed: 2 } });
    expect(logged()).toContain("private address");
  });

  test.each([
    ["KEYHUB_ALERT_URL", "http://hooks.example.com/x"],
    ["KEYHUB_ALERT_URL", "https://10.0.0.7/x"],
    ["KEYHUB_ALERT_URL", "https://printer.local/x"],
    ["KEYHUB_ALERT_URL", "https://user:PLANTED@hooks.example.com"],
    ["KEYHUB_ALERT_URL", "no url PLANTED"],
    ["KEYHUB_ALERT_SECRET", "whsec_short"],
  ])("%s=%s is refused: 500, the log names the setting and not its value", async (name, value) => {
    await starve();
    expect((await tick({ [name]: value })).status).toBe(500);
    expect(logged()).toContain(name);
    expect(logged()).not.toContain(value);
    expect(await unsent()).toBe(2);
  });

  test("without an address nothing is sent, and nothing is lost", async () => {
    await starve();
    expect(await tick({ KEYHUB_ALERT_URL: "" })).toEqual({
      status: 200,
      body: { configured: false, sent: 0, failed: 0 },
    });
    expect(await unsent()).toBe(2);
  });

  test("only the project's secret key may call it", async () => {
    expect(await tick({}, {})).toMatchObject({ status: 401, body: { code: "missing_credential" } });
    for (const headers of [
      { apikey: "sb_publishable_x" },
      { authorization: `Bearer kh_agent_${"0".repeat(64)}` },
    ])
      expect(await tick({}, headers as never)).toMatchObject({
        status: 401,
        body: { code: "invalid_credential" },
      });
    expect((await tick({}, { authorization: `Bearer ${secretKey}` })).status).toBe(200);
  });
});

test("every kind of alert that the table takes has a sentence", async () => {
  const [row] = await db.sql<{ check: string }[]>`
    select pg_get_constraintdef(oid) as check from pg_constraint where conname = 'api_key_alerts_kind_check'`;
  const kinds = [...(row?.check ?? "").matchAll(/'(\w+)'/g)].map(([, kind]) => kind as Alert["kind"]);
  expect(kinds.length).toBeGreaterThan(3);
  for (const kind of kinds) {
    const alert = {
      id: "a",
      user_id: "u",
      provider: null,
      user_api_key_id: null,
      key_name: null,
      detail: {},
    };
    expect(messageOf({ ...alert, kind, created_at: "2026-01-01T00:00:00Z" }).text).toMatch(/^Keyhub: .{20}/);
  }
});
