import { spawn, spawnSync } from "node:child_process";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../support/cli.ts";
import { openBench } from "./fixture.ts";

const desk = openBench();

/** KEYHUB_PYTHON names another interpreter, for example one with httpx installed. */
const PYTHON = process.env.KEYHUB_PYTHON ?? "python3";
const hasPython = spawnSync(PYTHON, ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;

/** Without Python these tests cannot run; a build machine must have it. */
test("python3 is there, or this is no build machine", () => {
  expect(hasPython || process.env.CI === undefined).toBe(true);
});

test.runIf(hasPython)("keyhub.py keeps what it promises", async () => {
  const service = await listen((request) => desk.service.fetch(request.path, request));
  let stolen = 0;
  const elsewhere = await listen(async () => {
    stolen += 1;
    return new Response("{}");
  });
  const sizes = {
    rotates: 2,
    dead: 3,
    models: 1,
    refusals: 3,
    soonest: 4,
    "server errors": 1,
    waits: 1,
    cooling: 1,
    streams: 1,
    body: 2,
    "by hand": 2,
    refused: 2,
    echo: 1,
    httpx: 3,
    errors: 2,
  };
  const pools: Record<string, Awaited<ReturnType<typeof desk.bench>>> = {};
  for (const [name, keys] of Object.entries(sizes))
    pools[name] = await desk.bench({ provider: "openai", keys });
  // One pool must serve Gemini, too; a key without a provider serves any provider.
  await desk.db.sql`update user_api_keys set provider = null where provider = 'openai'`;
  const given = Object.fromEntries(
    Object.entries(pools).map(([name, { token, keys }]) => [name, { token, keys }]),
  );
  const child = spawn(PYTHON, [join(repository, "tests", "client", "python", "check.py")], {
    env: {
      PATH: process.env.PATH,
      KEYHUB_PY: join(repository, "packages", "python"),
      PROVIDER: desk.provider.origin,
      SERVICE: service.origin,
      ELSEWHERE: elsewhere.origin,
      POOLS: JSON.stringify(given),
    },
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  service.stop();
  elsewhere.stop();
  desk.said.push(out, err);
  expect(err).toBe("");
  expect(code).toBe(0);

  const checks = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const last = checks.splice(-2);
  expect(checks).toEqual([
    { check: "urllib rotates", text: "forty-two", keys: [0, 1] },
    {
      check: "all keys are dead",
      status: 401,
      url: true,
      calls: 3,
      body: expect.stringContaining("Incorrect API key"),
    },
    {
      check: "a limit of one model",
      status: 200,
      code: "keys_cooling_down",
      counts: { cooling_down: 0, limited: 1, disabled: 0 },
      calls: 2,
    },
    { check: "the same refusal twice", status: 403, calls: 2 },
    { check: "waits for the soonest", status: 200, keys: [0, 1, 2, 3] },
    { check: "server errors", statuses: [200, 200, 502], calls: 6 },
    {
      check: "waits",
      found: [
        "18000s",
        "0.25s",
        "360s",
        "25s",
        "2033-05-18T03:33:20+00:00",
        "2033-05-18T03:33:20+00:00",
        null,
        null,
      ],
    },
    {
      check: "models",
      found: ["gpt", "gemini-pro", "d", "a.b:0", null, null, null, null, null, null],
    },
    { check: "waiting callers are served", served: 6 },
    { check: "no key in time", kind: "NoKeyError", code: "keys_cooling_down", waits: true, id: 36 },
    { check: "another host", code: "host_not_listed" },
    { check: "another origin", code: "redirect_refused" },
    {
      check: "the same origin",
      status: 200,
      seen: ["/v1/chat/completions", "/v1/there", "/v1/here"].map((path) => ["POST", path, 2]),
    },
    { check: "a body that is a stream", calls: 1, event: "body_sent_once" },
    { check: "by hand", value: "done", used: [0, 1], shown: false },
    { check: "errors of the caller", kinds: ["Own", "Own"], shown: false, masked: true },
    { check: "a request that was refused here", code: "invalid_credential", calls: 1 },
    {
      check: "settings that are missing",
      texts: [
        expect.stringMatching(/^url is missing: set SUPABASE_URL in the environment/),
        "url is not the URL of a Supabase project",
        expect.stringMatching(/^token is missing: set KEYHUB_AGENT_TOKEN in the environment/),
      ],
    },
    { check: "fallback", key: "sk-fallback" },
    { check: "unavailable", kind: "KeyhubUnavailableError" },
    { check: "a token that is none", kind: "KeyhubRequestError", code: "invalid_credential" },
    { check: "echo", shown: false },
    { check: "echo of a success", shown: false, reason: "fine " },
    { check: "query", path: "/v1beta/m:generateContent?key=KEY&a=1", url: true },
  ]);
  expect([
    { check: "httpx is not here" },
    {
      check: "httpx",
      status: 200,
      keys: [0, 1],
      broken: "RemoteProtocolError",
      last: 401,
      retry: "false",
      phrases: ["no ", "fine "],
    },
  ]).toContainEqual(last[0]);
  expect(last[1]).toEqual({ check: "events", n: expect.any(Number), shown: false });
  expect(stolen).toBe(0);

  const outcomes = async (name: string) =>
    (await pools[name]?.log())?.map(({ key, outcome }) => `${key} ${outcome}`);
  expect((await outcomes("rotates"))?.slice(0, 2)).toEqual(["key 0 rate_limited", "key 1 success"]);
  expect(await outcomes("dead")).toEqual(["key 0 invalid_key", "key 1 invalid_key", "key 2 invalid_key"]);
  expect(await outcomes("refusals")).toEqual(["key 0 invalid_key", "key 1 caller_fault"]);
  expect(await outcomes("waits")).toEqual(["key 0 rate_limited", ...Array(6).fill("key 0 success")]);
  expect(await outcomes("streams")).toEqual(["key 0 success", "key 0 unreachable", "key 0 rate_limited"]);
  expect(await outcomes("by hand")).toEqual([
    "key 0 rate_limited",
    "key 1 success",
    "key 1 success",
    "key 1 unreachable",
  ]);
  expect(await outcomes("refused")).toEqual(["key 0 unknown"]);
});

/** Serves a handler of this process over HTTP. */
async function listen(handle: (request: { path: string } & RequestInit) => Promise<Response>) {
  const server = createServer((request: IncomingMessage, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const headers = Object.entries(request.headers).map(
        ([name, value]) => [name, String(value)] as [string, string],
      );
      const answer = await handle({
        path: request.url ?? "",
        method: request.method ?? "GET",
        headers,
        ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      });
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
