import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { PROBLEM_TYPE } from "../../packages/core/src/problem.ts";
import {
  type Functions,
  type Gateway,
  startFunctions,
  startGateway,
} from "../../packages/local/src/index.ts";
import { documentFile } from "../support/openapi/document-file.ts";
import { until } from "../support/until.ts";
import { scratchFolder } from "./scratch.ts";

/** A function that returns the request. On some paths it streams, answers before it reads the body, never answers, or ends its process. */
const mirror = `
  let [begun, aborted] = [0, 0];
  const released = Promise.withResolvers();
  export default {
    async fetch(request) {
      const url = new URL(request.url);
      const at = url.pathname.split("/").at(-1);
      if (at === "die") Deno.exit(3);
      if (at === "early") return new Response("too much", { status: 413 });
      if (at === "calls") return Response.json({ begun, aborted });
      if (at === "endless") {
        begun++;
        await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
        aborted++;
      }
      if (at === "still") {
        begun++;
        const start = (controller) => controller.enqueue(new TextEncoder().encode("{"));
        const cancel = () => void aborted++;
        const headers = { "content-type": url.searchParams.get("type") };
        return new Response(new ReadableStream({ start, cancel }), { headers });
      }
      if (at === "release") released.resolve();
      if (at === "echo") return new Response(await request.arrayBuffer());
      if (at === "stream") {
        return new Response(new ReadableStream({
          async start(controller) {
            controller.enqueue(new TextEncoder().encode("first"));
            await released.promise;
            controller.enqueue(new TextEncoder().encode("second"));
            controller.close();
          },
        }));
      }
      return Response.json({
        function: import.meta.url.split("/").at(-2),
        path: url.pathname + url.search,
        method: request.method,
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
        secret: Deno.env.get("SOME_SECRET"),
        files: await Deno.readTextFile("/etc/hostname").then(() => "read", (error) => error.name),
      }, { status: 207, headers: { "x-own": "kept", "set-cookie": "a=1" } });
    },
  };
`;

const supabase = {
  fetch: async (asked: Request) => Response.json({ supabase: new URL(asked.url).pathname }),
};
const folder = scratchFolder();
const log: string[] = [];
let functions: Functions;
let gateway: Gateway;

beforeAll(async () => {
  for (const name of ["get-active-key", "hub-publish", "hub-import", "_shared"]) {
    mkdirSync(join(folder.path, name), { recursive: true });
    writeFileSync(join(folder.path, name, "index.ts"), mirror);
    writeFileSync(join(folder.path, name, "deno.json"), "{}");
  }
  mkdirSync(join(folder.path, "no-index"));
  functions = await startFunctions({
    functionsDir: folder.path,
    env: { SOME_SECRET: "for functions" },
    onLog: (line) => log.push(line),
  });
  gateway = await startGateway({ port: 0, supabase, functions });
});

afterAll(async () => {
  await gateway?.stop();
  await functions?.stop();
  folder.remove();
});

async function ask(path: string, init?: RequestInit) {
  const response = await fetch(`${gateway.url}${path}`, init);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Requests a target exactly as written; fetch would normalize it. */
function askRaw(target: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    request({ port: gateway.port, host: "127.0.0.1", path: target }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    })
      .on("error", reject)
      .end();
  });
}

describe("routes", () => {
  test("every folder with an index.ts is a function, unless it starts with an underscore", () => {
    expect(functions.names).toEqual(["get-active-key", "hub-import", "hub-publish"]);
  });

  test.each([
    ["/functions/v1/get-active-key", "get-active-key", "/get-active-key"],
    ["/functions/v1/get-active-key/more/of?it=1", "get-active-key", "/get-active-key/more/of?it=1"],
    ["/webhook/get-active-key", "get-active-key", "/get-active-key"],
    ["/api/hub/publish", "hub-publish", "/hub-publish"],
    ["/api/hub/import/some-slug?dry=1", "hub-import", "/hub-import/some-slug?dry=1"],
    ["/api/hub/import", "hub-import", "/hub-import"],
  ])("%s", async (path, name, seen) => {
    const { status, headers, body } = await ask(path, {
      method: "POST",
      body: '{"a":1}',
      headers: {
        "content-type": "application/json",
        authorization: "Bearer t",
        "x-forwarded-for": "6.6.6.6",
      },
    });
    expect(status).toBe(207);
    expect(headers.get("x-own")).toBe("kept");
    expect(headers.get("set-cookie")).toBe("a=1");
    expect(body).toMatchObject({ function: name, path: seen, method: "POST", body: '{"a":1}' });
    expect(body.headers).toMatchObject({
      authorization: "Bearer t",
      "content-type": "application/json",
      "x-forwarded-for": "127.0.0.1",
    });
    expect(body.secret).toBe("for functions");
    expect(body.files).toBe("NotCapable");
  });

  test("/openapi.json is the committed document, for GET alone, and nowhere among the functions", async () => {
    const { status, headers, body } = await ask("/openapi.json");
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(body).toEqual(JSON.parse(readFileSync(documentFile, "utf8")));
    expect((await fetch(`${gateway.url}/openapi.json`, { method: "HEAD" })).status).toBe(200);
    const posted = await ask("/openapi.json", { method: "POST", body: "{}" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await ask("/functions/v1/openapi.json")).status).toBe(404);
  });

  test.each(["/rest/v1/table?select=*", "/auth/v1/signup"])("%s goes to Supabase", async (path) => {
    expect((await ask(path)).body).toEqual({ supabase: path.split("?")[0] });
  });

  test.each([
    "/",
    "/_system/info",
    "/_system/introspect",
    "/storage/v1/bucket",
    "/studio",
    "/rest/v10/x",
    "/functions/v1/",
    "/functions/v1/_shared",
    "/functions/v1/no-index",
    "/functions/v1/set-key-state",
    "/functions/v1/__proto__",
    "/functions/v1/constructor",
    "/webhook/set-key-state",
    "/rest/v1/../../_system/info",
    "/rest/v1/%2e%2e/%2E%2E/_system/info",
    "/rest/v1\\..\\..\\_system\\info",
    "//_system/info",
    "http://elsewhere/_system/info",
    "http://[/",
  ])("%s is nothing", async (target) => {
    const { status, text } = await askRaw(target);
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({
      code: "not_found",
      status: 404,
      request_id: expect.any(String),
    });
  });
});

describe("bodies", () => {
  test("20 MB go through and come back", async () => {
    const sent = new Uint8Array(20_000_000).map((_, index) => index % 251);
    const response = await fetch(`${gateway.url}/functions/v1/get-active-key/echo`, {
      method: "POST",
      body: sent,
    });
    expect(Buffer.compare(new Uint8Array(await response.arrayBuffer()), sent)).toBe(0);
  });

  test("an answer is passed on piece by piece", async () => {
    const response = await fetch(`${gateway.url}/functions/v1/get-active-key/stream`);
    const pieces: string[] = [];
    for await (const piece of response.body ?? []) {
      pieces.push(new TextDecoder().decode(piece));
      // The second piece is sent only after the first has been read.
      if (pieces.length === 1) await ask("/functions/v1/get-active-key/release");
    }
    expect(pieces).toEqual(["first", "second"]);
  });

  test("an answer that does not wait for the body arrives", async () => {
    for (let round = 0; round < 5; round++) {
      const body = new Uint8Array(5_000_000);
      const response = await fetch(`${gateway.url}/functions/v1/get-active-key/early`, {
        method: "POST",
        body,
      });
      expect(response.status).toBe(413);
      expect(await response.text()).toBe("too much");
    }
  });

  test("a caller who goes away is gone for the function, too", async () => {
    const abort = new AbortController();
    const calls = async () => (await ask("/functions/v1/hub-import/calls")).body;
    const endless = fetch(`${gateway.url}/functions/v1/hub-import/endless`, { signal: abort.signal });
    const refused = expect(endless).rejects.toThrow(/abort/);
    await until(async () => (await calls()).begun === 1);
    expect(await calls()).toEqual({ begun: 1, aborted: 0 });
    abort.abort();
    await refused;
    await until(async () => (await calls()).aborted === 1);
  });

  test.each(["text/event-stream", "application/json", "application/x-ndjson", "audio/mpeg"])(
    "so is one who leaves a started answer that stands still: %s",
    async (type) => {
      const calls = async () => (await ask("/functions/v1/get-active-key/calls")).body;
      const { aborted } = await calls();
      const abort = new AbortController();
      const path = `/functions/v1/get-active-key/still?type=${encodeURIComponent(type)}`;
      const response = await fetch(`${gateway.url}${path}`, { signal: abort.signal });
      expect((await response.body?.getReader().read())?.value?.byteLength).toBe(1);
      abort.abort();
      await until(async () => (await calls()).aborted === aborted + 1);
    },
  );

  test("so is one who goes away in the middle of a large body that the function does not take", async () => {
    const calls = async () => (await ask("/functions/v1/hub-publish/calls")).body;
    const bytes = 20 * 1024 * 1024;
    const socket = connect(gateway.port, "127.0.0.1");
    socket.write(
      `POST /functions/v1/hub-publish/endless HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bytes}\r\n\r\n`,
    );
    await new Promise((sent) => socket.write(new Uint8Array(bytes - 1), sent));
    await until(async () => (await calls()).begun === 1);
    socket.destroy();
    await until(async () => (await calls()).aborted === 1);
  });

  test("a body that its function does not take is not kept while the caller may be unknown", async () => {
    // The function reads nothing, and does not answer.
    const early = await startGateway({ port: 0, supabase, functions, readAheadAfter: 600_000 });
    const { begun } = (await ask("/functions/v1/hub-publish/calls")).body;
    const bytes = 20 * 1024 * 1024;
    const head = `POST /functions/v1/hub-publish/endless HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${bytes}\r\n\r\n`;
    const piece = new Uint8Array(64 * 1024);
    const callers = Array.from({ length: 5 }, () => {
      const caller = { socket: connect(early.port, "127.0.0.1"), sent: 0 };
      const send = () => {
        caller.sent += piece.length;
        if (caller.sent < bytes) caller.socket.write(piece, (error) => error || send());
      };
      caller.socket.on("error", () => {}).write(head, send);
      return caller;
    });
    await until(async () => (await ask("/functions/v1/hub-publish/calls")).body.begun === begun + 5);
    let before = "";
    await until(async () => {
      await sleep(500);
      const now = callers.map(({ sent }) => sent).join();
      const stands = now === before;
      before = now;
      return stands;
    });
    for (const { socket, sent } of callers) {
      expect(sent).toBeLessThan(bytes);
      socket.destroy();
    }
    await early.stop();
  });
});

describe("a function that dies", () => {
  test("answers 503, comes back, and leaves the others alone", async () => {
    const dying = await ask("/functions/v1/hub-publish/die");
    expect(dying.status).toBe(503);
    expect(dying.headers.get("retry-after")).toBe("1");
    expect(dying.headers.get("content-type")).toBe(PROBLEM_TYPE);
    expect(dying.body).toMatchObject({ code: "unavailable" });
    expect((await ask("/functions/v1/get-active-key")).status).toBe(207);
    await until(async () => (await ask("/functions/v1/hub-publish")).status === 207);
    expect(log.filter((line) => line.includes("died"))).toEqual([
      "function hub-publish died (code 3); restarting it.",
    ]);
  });

  test("again and again: given up in one line", async () => {
    const name = "hopeless";
    mkdirSync(join(folder.path, "more", name), { recursive: true });
    const file = join(folder.path, "more", name, "index.ts");
    writeFileSync(file, mirror);
    const given = Promise.withResolvers<string>();
    const env = {};
    const options = {
      functionsDir: join(folder.path, "more"),
      env,
      onGivenUp: given.resolve,
      maxDeaths: 4,
    };
    const hopeless = await startFunctions(options);
    onTestFinished(() => hopeless.stop());
    const port = await hopeless.port(name);
    writeFileSync(file, "Deno.exit(7);");
    await fetch(`http://127.0.0.1:${port}/die`).catch(() => {});
    expect(await given.promise).toBe(
      "function hopeless died 4 times within a minute (Deno ended with code 7).",
    );
    expect(await hopeless.port(name)).toBeUndefined();
  });

  test("before it listens: 503, the log says why, and the next call starts it again", async () => {
    const functionsDir = join(folder.path, "broken");
    const file = join(functionsDir, "faulty", "index.ts");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "export default { fetch( }");
    const log: string[] = [];
    const broken = await startFunctions({ functionsDir, env: {}, onLog: (line) => log.push(line) });
    onTestFinished(() => broken.stop());
    const front = await startGateway({ port: 0, supabase, functions: broken });
    onTestFinished(() => front.stop());
    const call = () => fetch(`${front.url}/functions/v1/faulty`);
    const refused = await call();
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ code: "unavailable" });
    expect(log).toEqual([expect.stringMatching(/^function faulty does not start: .*expected/i)]);
    writeFileSync(file, mirror);
    expect((await call()).status).toBe(207);
  });

  test("starts once, at its first call, however many call", async () => {
    const pids: string[] = [];
    const counted = await startFunctions({
      functionsDir: folder.path,
      env: {},
      onPid: (name) => pids.push(name),
    });
    onTestFinished(() => counted.stop());
    expect(pids).toEqual([]);
    const ports = await Promise.all(Array.from({ length: 5 }, () => counted.port("hub-publish")));
    expect(new Set(ports).size).toBe(1);
    expect(pids).toEqual(["hub-publish"]);
    await counted.stop();
    expect(await counted.port("hub-publish")).toBeUndefined();
    expect(await counted.port("hub-import")).toBeUndefined();
  });

  test("is not called for a caller who goes away while it starts", async () => {
    const fresh = await startFunctions({ functionsDir: folder.path, env: {} });
    onTestFinished(() => fresh.stop());
    const [asked, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const port = async (name: string) => {
      asked.resolve();
      await gone.promise;
      return fresh.port(name);
    };
    const front = await startGateway({ port: 0, supabase, functions: { ...fresh, port } });
    onTestFinished(() => front.stop());
    const address = `${front.url}/functions/v1/hub-publish`;
    const caller = new AbortController();
    const call = fetch(`${address}/endless`, { signal: caller.signal });
    await asked.promise;
    caller.abort();
    await expect(call).rejects.toThrow();
    // The gateway runs in this process, so it soon sees the end of the connection.
    await sleep(100);
    gone.resolve();
    expect(await (await fetch(`${address}/calls`)).json()).toEqual({ begun: 0, aborted: 0 });
  });

  test.each([0, 400])("stopped %i ms after its start began: nothing is left running", async (ms) => {
    const functionsDir = join(folder.path, "endless");
    mkdirSync(join(functionsDir, "waits"), { recursive: true });
    writeFileSync(
      join(functionsDir, "waits", "index.ts"),
      "await new Promise(() => setInterval(() => {}, 1_000));",
    );
    const endless = await startFunctions({ functionsDir, env: {} });
    const port = endless.port("waits");
    await sleep(ms);
    const began = performance.now();
    await endless.stop();
    expect(await port).toBeUndefined();
    // Without the call of stop, a start that never ends would be given up only after a minute.
    expect(performance.now() - began).toBeLessThan(30_000);
  });
});
