import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PROBLEM_TYPE } from "../../packages/core/src/problem.ts";
import { onlyApi } from "../../packages/local/src/gateway/server.ts";
import {
  bootstrapDatabase,
  createSupabase,
  type Gateway,
  type Postgres,
  type Supabase,
  startGateway,
  startPostgres,
} from "../../packages/local/src/index.ts";
import { urlAs } from "../../packages/local/src/postgres/roles.ts";
import { readRaw, sendRaw } from "./raw-request.ts";
import { scratchFolder, withoutDurability } from "./scratch.ts";

const folder = scratchFolder();
let database: Postgres;
let supabase: Supabase;
let gateway: Gateway;
/** Every address for which lite got a request. */
const asked: string[] = [];
const receivedHeaders: Headers[] = [];

beforeAll(async () => {
  database = await startPostgres({ dataDir: `${folder.path}/pg`, port: 0, settings: withoutDurability });
  await bootstrapDatabase(database.url);
  supabase = createSupabase({
    databaseUrl: database.url,
    publishableKey: "sb_publishable_test",
    secretKey: "sb_secret_test",
    jwtSecret: "a test's secret of at least 32 characters",
  });
  gateway = await startGateway({
    port: 0,
    hosts: ["project.example.test"],
    supabase: {
      fetch: (request) => {
        asked.push(request.url);
        receivedHeaders.push(request.headers);
        return supabase.fetch(request);
      },
    },
  });
});

afterAll(async () => {
  await gateway?.stop();
  await supabase?.stop();
  await database?.stop();
  folder.remove();
});

test("lite itself tells the database's password: that is what the rest of this file is about", async () => {
  const answer = await supabase.fetch(new Request("http://127.0.0.1/_system/info"));
  expect(await answer.text()).toContain(urlAs(database.url, "authenticator"));
});

test("and whatever address comes out in the end, it is REST or auth that is asked", async () => {
  for (const page of pages) {
    const answer = await onlyApi(supabase)(new Request(`http://127.0.0.1/${page}`));
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: "not_found" });
  }
  expect((await onlyApi(supabase)(new Request("http://127.0.0.1/rest/v1/none"))).status).toBe(401);
});

const pages = ["_system/info", "_system/introspect", "admin", "studio", "storage/v1/bucket"];

/** Request targets that try to reach a page of lite. */
const targets = pages.flatMap((page) => [
  `/${page}`,
  `//${page}`,
  `///${page}`,
  `/./${page}`,
  `/../${page}`,
  `/;/${page}`,
  `/%2e/${page}`,
  `/%2f${page}`,
  `/%5c${page}`,
  `/\\${page}`,
  `\\${page}`,
  `/\t${page}`,
  `/${page.replace("s", "%73")}`,
  `/${page.replace("i", "%69")}`,
  `/${page.replace("s", "%2573")}`,
  `/${page.replace("/", "%2f")}`,
  `/rest/v1/../../${page}`,
  `/rest/v1/..;/..;/${page}`,
  `/rest/v1/%2e%2e/%2e%2e/${page}`,
  `/rest/v1/%2E%2E/%2E./${page}`,
  `/rest/v1/.%2e/.%2e/${page}`,
  `/rest/v1/..%2f..%2f${page}`,
  `/rest/v1/%2e%2e%2f%2e%2e%2f${page}`,
  `/rest/v1/%252e%252e/%252e%252e/${page}`,
  `/rest/v1/%252e%252e%252f%252e%252e%252f${page}`,
  `/rest/v1/%25252e%25252e/${page}`,
  `/rest/v1/..\\..\\${page}`,
  `/rest/v1/..%5c..%5c${page}`,
  `/rest/v1/%c0%ae%c0%ae/%c0%ae%c0%ae/${page}`,
  `/rest/v1/%uff0e%uff0e/${page}`,
  `/rest/v1/.\t./.\t./${page}`,
  `/rest/v1/.%09./.%09./${page}`,
  `/rest/v1/.%0a./.%0d./${page}`,
  `/rest/v1//../../${page}`,
  `/rest/v1/./.././../${page}`,
  `/auth/v1/../../${page}`,
  `/auth/v1/%2e%2e/%2e%2e/${page}`,
  `/rest/v1/x/../../../${page}`,
  `/functions/v1/../../${page}`,
  `/functions/v1/%2e%2e/%2e%2e/${page}`,
  `/api/hub/import/../../../${page}`,
  `/webhook/get-active-key/../../${page}`,
  `/rest/v1#/../../${page}`,
  `/rest/v1/%23/../../${page}`,
  `/rest/v1/%3f/../../../${page}`,
  `/rest/v1/%00/../../../${page}`,
  `/${page}?/rest/v1/`,
  `/${page}#/rest/v1/`,
  `/${page}/rest/v1/../..`,
  `/REST/V1/../../${page}`,
  `?/${page}`,
  `*`,
  `@127.0.0.1/${page}`,
  `:80/${page}`,
  `http://127.0.0.1/${page}`,
  `HTTP://127.0.0.1/${page}`,
  `http:/${page}`,
  `http:${page}`,
  `http:\\\\127.0.0.1\\${page}`,
  `https://rest/v1/../${page}`,
  `http://rest/v1/${page}`,
  `http://127.0.0.1/rest/v1/../../${page}`,
  `http://x@127.0.0.1/${page}`,
  `file:///${page}`,
  `127.0.0.1:80/${page}`,
  `//127.0.0.1/${page}`,
  `\u00e0/${page}`,
  `/rest/v1/\u00ff/../../${page}`,
]);

/** Host headers that try to reach a page of lite although the path of the request is allowed. */
const hosts = pages.flatMap((page) => [
  // In punycode these hosts become 13 to 18 characters longer. For some pages that is the length of the text after the host, so a check
  // that compares only lengths lets the header pass.
  `\u00e0\u00ed.\u00e0\u00ed/${page}?`,
  `\u00e0.\u00e0\u00ed/${page}?`,
  `\u00e0.\u00e0.\u00e0/${page}#`,
  `\u00e0\u00ed\u00e0\u00ed\u00e0\u00ed.\u00e0\u00ed/${page}?`,
  `127.0.0.1/${page}?`,
  `127.0.0.1/${page}#`,
  `127.0.0.1\\${page}?`,
  `127.0.0.1:80/${page}?`,
  `user:password@127.0.0.1/${page}?`,
  `127.0.0.1?/${page}`,
  `[::1]/${page}?`,
  `[::1/${page}?`,
  `%31%32%37.0.0.1/${page}?`,
  `127.0.0.1\t/${page}?`,
  `127.0.0.1 /${page}?`,
  `127.0.0.1,/${page}?`,
  `http://127.0.0.1/${page}?`,
  `/${page}?`,
  `//${page}?`,
  // The bytes of a full-width slash.
  `\u00ef\u00bc\u008f${page}?`,
]);

const plainOdd = [
  "",
  " ",
  ".",
  ":",
  ":80",
  "a:b",
  "127.0.0.1:",
  "127.0.0.1:999999",
  "127.0.0.1:80:80",
  "0x7f.1",
  "127.1",
  "2130706433",
  "[::1",
  "::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::1]x",
  "[v1.x]",
  "a_b",
  "a b",
  "a..b/",
  "xn--\u00e0",
  "a".repeat(254),
  "a".repeat(10_000),
  "\u00e0",
  "a\u0000b",
  "a%00b",
  "{x}",
  "<x>",
];

const lines = (...all: string[]) => `${all.join("\r\n")}\r\n\r\n`;
const closing = "Connection: close";

async function expectNothing(bytes: string, statuses: number[]) {
  const before = asked.length;
  const { status, head, body } = readRaw(await sendRaw(gateway.port, bytes));
  expect(statuses).toContain(status);
  // An answer of node's own parser has no body.
  if (body !== "") {
    expect(head.toLowerCase()).toContain(PROBLEM_TYPE);
    expect(JSON.parse(body)).toMatchObject({ status, request_id: expect.any(String) });
  }
  expect(body).not.toContain("postgres");
  expect(asked.slice(before)).toEqual([]);
}

describe("a target that leads elsewhere", () => {
  test.each(targets)("%j is nothing", async (target) => {
    await expectNothing(lines(`GET ${target} HTTP/1.1`, "Host: 127.0.0.1", closing), [400, 404]);
  });
});

describe("a host that is more than a host", () => {
  test.each(hosts)("%j is refused", async (host) => {
    await expectNothing(lines("GET /rest/v1/ HTTP/1.1", `Host: ${host}`, closing), [400]);
  });

  test.each(plainOdd)("%j is refused", async (host) => {
    await expectNothing(lines("GET /rest/v1/ HTTP/1.1", `Host: ${host}`, closing), [400]);
  });

  test("the refusal says what is wrong", async () => {
    const bytes = lines("GET /rest/v1/ HTTP/1.1", "Host: \u00e0\u00ed.\u00e0\u00ed/_system/info?", closing);
    const { status, body } = readRaw(await sendRaw(gateway.port, bytes));
    expect(status).toBe(400);
    expect(JSON.parse(body)).toMatchObject({ code: "malformed_host" });
  });

  test.each([
    ["none", lines("GET /rest/v1/ HTTP/1.1", closing)],
    ["none, by HTTP/1.0", lines("GET /rest/v1/ HTTP/1.0")],
    ["two", lines("GET /rest/v1/ HTTP/1.1", "Host: 127.0.0.1", "Host: 127.0.0.1/_system/info?", closing)],
    [
      "two the other way",
      lines("GET /rest/v1/ HTTP/1.1", "Host: x/_system/info?", "HOST: 127.0.0.1", closing),
    ],
    ["two alike", lines("GET /rest/v1/ HTTP/1.1", "Host: 127.0.0.1", "hOsT: 127.0.0.1", closing)],
    ["one that goes on", lines("GET /rest/v1/ HTTP/1.1", "Host: 127.0.0.1", " /_system/info?", closing)],
  ])("%s", async (_, bytes) => {
    await expectNothing(bytes, [400]);
  });
});

describe("other ways", () => {
  test.each([
    ["CONNECT", lines("CONNECT 127.0.0.1:5432 HTTP/1.1", "Host: 127.0.0.1"), [0, 400, 404, 405]],
    ["TRACE", lines("TRACE /rest/v1/ HTTP/1.1", "Host: 127.0.0.1", closing), [405]],
    ["PROPFIND", lines("PROPFIND /rest/v1/ HTTP/1.1", "Host: 127.0.0.1", closing), [405]],
    ["an authority", lines("GET 127.0.0.1:5432 HTTP/1.1", "Host: 127.0.0.1", closing), [400, 404]],
    ["HTTP/0.9", "GET /_system/info\r\n\r\n", [0, 400, 404]],
    ["HTTP/1.0", lines("GET /_system/info HTTP/1.0", "Host: 127.0.0.1"), [404]],
    [
      "an upgrade",
      lines("GET /_system/info HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket"),
      [404],
    ],
    ["HTTP/2", `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`, [0, 400, 404, 405]],
  ])("%s", async (_, bytes, statuses) => {
    await expectNothing(bytes, statuses);
  });

  test("one request behind another: each is judged by itself", async () => {
    const bytes =
      lines("GET /rest/v1/none HTTP/1.1", "Host: 127.0.0.1") +
      lines("GET /_system/info HTTP/1.1", "Host: 127.0.0.1") +
      lines("GET /auth/v1/health HTTP/1.1", "Host: 127.0.0.1/_system/info?") +
      lines("GET /_system/info HTTP/1.1", "Host: 127.0.0.1", closing);
    const answer = await sendRaw(gateway.port, bytes);
    const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status);
    expect(statuses.slice(1)).toEqual(["404", "400", "404"]);
    expect(answer).not.toContain("postgresql:");
  });

  test("a body is no request", async () => {
    const smuggled = lines("GET /_system/info HTTP/1.1", "Host: 127.0.0.1");
    for (const length of [
      `Content-Length: ${smuggled.length}`,
      "Content-Length: 0\r\nTransfer-Encoding: chunked",
    ]) {
      const head = `POST /rest/v1/none HTTP/1.1\r\nHost: 127.0.0.1\r\n${length}\r\nConnection: close\r\n\r\n`;
      expect(await sendRaw(gateway.port, head + smuggled)).not.toContain("postgresql:");
    }
  });

  const forwardedHeaders = [
    "Forwarded: host=127.0.0.1/_system/info;proto=http",
    "X-Forwarded-Host: 127.0.0.1/_system/info?",
    "X-Forwarded-Path: /_system/info",
    "X-Forwarded-Prefix: /_system/info",
    "X-Forwarded-Uri: /_system/info",
    "X-Forwarded-Proto: file",
    "X-Forwarded-For: 127.0.0.1",
    "X-Forwarded: for=127.0.0.1",
    "X-Real-IP: 127.0.0.1",
    "X-Original-URL: /_system/info",
    "X-Original-Host: 127.0.0.1/_system/info?",
    "X-Rewrite-URL: /_system/info",
    "X-HTTP-Method-Override: TRACE",
    "X-HTTP-Method: TRACE",
    "X-Method-Override: TRACE",
  ];
  test.each(forwardedHeaders)("%s from a client is dropped", async (header) => {
    const before = asked.length;
    const bytes = lines("GET /rest/v1/none HTTP/1.1", "Host: 127.0.0.1", header, closing);
    expect(await sendRaw(gateway.port, bytes)).not.toContain("postgresql:");
    expect(asked.slice(before)).toEqual(["http://127.0.0.1/rest/v1/none"]);
    expect(receivedHeaders.at(-1)?.has(header.split(":")[0] ?? "")).toBe(false);
  });

  test.each([
    "evil.test",
    "evil.test:54321",
    "EVIL.TEST",
    "127.0.0.1.nip.io",
    "localhost.evil.test",
    "evil.localhost",
    "sub.project.example.test",
    "project.example.test.",
    "project.example",
    "localhost.",
    "0.0.0.0",
    "10.0.0.1",
    "128.0.0.1",
    "[::]",
    "[fe80::1]",
    "metadata.google.internal",
  ])("a host that is not of this machine (%s): 421, whatever is asked for", async (host) => {
    const targets = ["/rest/v1/none", "/hub", "/openapi.json", "/functions/v1/x", "/auth/v1/health", "/"];
    for (const target of targets) {
      const bytes = lines(`GET ${target} HTTP/1.1`, `Host: ${host}`, closing);
      await expectNothing(bytes, [421]);
    }
    const { body } = readRaw(await sendRaw(gateway.port, lines("GET / HTTP/1.1", `Host: ${host}`, closing)));
    expect(JSON.parse(body)).toMatchObject({ code: "misdirected_host" });
    expect(body).not.toContain("evil");
  });

  test("there are more than 200 of them, and lite was never asked for anything but REST and auth", () => {
    expect(targets.length + hosts.length + plainOdd.length + forwardedHeaders.length).toBeGreaterThan(200);
    expect(asked.length).toBeGreaterThan(0);
    for (const url of asked) expect(new URL(url).pathname).toMatch(/^\/(rest|auth)\/v1(\/|$)/);
  });
});

describe("what is plain goes through", () => {
  test.each([
    ["127.0.0.1:31000", "/rest/v1/some_table?select=*&title=eq.a%2Fb%20c&x=in.(1,2)"],
    ["localhost", "/rest/v1/rpc/hub_search?q=%E6%97%A5&tags={a}"],
    ["LOCALHOST:80", "/auth/v1/health"],
    ["[::1]:54321", "/rest/v1/"],
    ["Project.Example.Test:8080", "/rest/v1/none"],
    ["127.255.0.1", "/rest/v1/none"],
    ["project.example.test", "/rest/v1/%E6%97%A5%20x"],
    ["127.0.0.1", "/rest/v1?/../../_system/info"],
  ])("Host %s, %s", async (host, target) => {
    const before = asked.length;
    await sendRaw(gateway.port, lines(`GET ${target} HTTP/1.1`, `Host: ${host}`, closing));
    expect(asked.length).toBe(before + 1);
    expect(new URL(asked.at(-1) ?? "").pathname).toBe(target.split("?")[0]);
  });
});
