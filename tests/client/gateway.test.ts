import { once } from "node:events";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { providerOf } from "../../packages/core/src/rotate/index.ts";
import { readRaw, sendRaw } from "../stack/raw-request.ts";
import { pair } from "../support/keys.ts";
import { LONG_TESTS } from "../support/long-tests.ts";
import { onDeno } from "../support/service.ts";
import { until } from "../support/until.ts";
import { openBench } from "./fixture.ts";
import { UNREAD } from "./provider.ts";
import { sdkSuite } from "./sdk-suite.ts";
import { SDKS } from "./sdks.ts";

const GATEWAY = "/functions/v1/keyhub-gateway";

const desk = openBench((db, { origin }) => {
  const upstreams = { openai: origin, anthropic: origin, gemini: origin };
  return onDeno(db, [pair.unsealKey], ["keyhub-gateway"], {
    KEYHUB_UPSTREAMS: JSON.stringify(upstreams),
    KEYHUB_LOOPBACK_UPSTREAMS: "allow",
  });
});

// Only the address of the gateway is set: the SDKs use their own fetch.
sdkSuite(
  desk,
  ({ token }, provider) => ({
    apiKey: token,
    header: providerOf(provider)?.place ?? "",
    base: `${desk.service.url}${GATEWAY}/${provider}`,
  }),
  // The first two SDKs cover each place for a key and each form of streaming; the other SDKs use the same places and forms.
  LONG_TESTS ? SDKS : SDKS.slice(0, 2),
);

test("the SDK of OpenAI says what the gateway refuses", async () => {
  const { token } = await desk.bench({ provider: "openai", keys: 1 });
  const ask = (apiKey: string, provider: string) =>
    SDKS[0]?.open({ apiKey, base: `${desk.service.url}${GATEWAY}/${provider}` }).ask();
  await expect(ask("wrong", "openai")).rejects.toThrow(/^401 The credential is invalid.*agent token/);
  await expect(ask(token, "opnai")).rejects.toThrow(/^404 The gateway does not forward to this provider/);
});

describe("on the wire", () => {
  const stream = (token: string, signal?: AbortSignal) =>
    fetch(`${desk.service.url}${GATEWAY}/openai/v1/chat/completions`, {
      method: "POST",
      body: '{"stream": true}',
      headers: { authorization: `Bearer ${token}` },
      ...(signal && { signal }),
    });

  const STREAMS = LONG_TESTS ? 200 : 24;
  test("many streams at once: each whole, each lease reported once", async () => {
    const { token, log } = await desk.bench({ provider: "openai", keys: 3 });
    const texts = await Promise.all(
      Array.from({ length: STREAMS }, async () => (await stream(token)).text()),
    );
    for (const text of texts) expect(text).toMatch(/forty.*-.*two.*\[DONE\]\n\n$/s);
    // On a busy machine, a lease may reach the gateway too late. Nobody uses such a lease and it stays open, so open leases are left out.
    const reported = (await log(STREAMS)).flatMap(({ outcome }) => outcome ?? []);
    expect([reported.length, new Set(reported)]).toEqual([STREAMS, new Set(["success"])]);
  });

  test("a stream passes while it goes on, and ends for the provider when its reader goes", async () => {
    const { token, log } = await desk.bench({ provider: "openai", keys: 1 });
    desk.provider.acts.push({ act: "stalls" });
    const gone = new AbortController();
    const response = await stream(token, gone.signal);
    const reader = response.body?.getReader();
    // The provider has not ended its answer; what it has sent so far has arrived.
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain("forty");
    gone.abort();
    expect(await log()).toMatchObject([{ error_code: expect.stringMatching(/^cancel/i), effect: "ignored" }]);
  });

  test("a path that is sent raw goes nowhere else", async () => {
    const { token, log } = await desk.bench({ provider: "openai", keys: 1 });
    const port = Number(new URL(desk.service.url).port);
    for (const path of [
      "/openai/../../get-active-key",
      "/openai/%2e%2e/x",
      "//evil.example/x",
      "/openai//x",
      "/openai/\\x",
      "/openai/x/../y",
    ]) {
      const head = [
        `POST ${GATEWAY}${path} HTTP/1.1`,
        "Host: localhost",
        `Authorization: Bearer ${token}`,
        "Content-Length: 2",
        "Connection: close",
      ];
      const { status } = readRaw(await sendRaw(port, `${head.join("\r\n")}\r\n\r\n{}`));
      expect([path, status]).toEqual([path, 404]);
    }
    expect([desk.provider.seen, await log()]).toEqual([[], []]);
  });

  test("a body of 19 MB goes out whole and once, with its length; the SDK may send it again", async () => {
    const { token, keys, log } = await desk.bench({ provider: "openai", keys: 2 });
    desk.provider.acts.push({ act: "error", status: 429, body: "{}", headers: { "retry-after": "60" } });
    const bytes = 19 * 1024 * 1024;
    const send = () =>
      fetch(`${desk.service.url}${GATEWAY}/openai/v1/files`, {
        method: "POST",
        body: new Uint8Array(bytes),
        headers: { authorization: `Bearer ${token}` },
      });
    const first = await send();
    await first.text();
    // The answer does not wait for the report, so the test waits for it.
    await until(async () => (await log()).every(({ outcome }) => outcome !== null));
    const answers = [first, await send()];
    await answers[1]?.text();
    expect(answers.map(({ status, headers }) => [status, headers.get("x-keyhub-attempts")])).toEqual([
      [429, "1"],
      [200, "1"],
    ]);
    expect(
      desk.provider.seen.map((seen) => [
        keys.indexOf(seen.key ?? ""),
        seen.bytes,
        seen.headers["content-length"],
      ]),
    ).toEqual([
      [0, bytes, String(bytes)],
      [1, bytes, String(bytes)],
    ]);
  });

  test("an answer that is encoded although that was not accepted arrives decoded, without the key", async () => {
    const { token, keys } = await desk.bench({ provider: "openai", keys: 1 });
    const body = gzipSync(`{"echo": "${keys[0]}"}`);
    desk.provider.acts.push({ act: "error", status: 200, body, headers: { "content-encoding": "gzip" } });
    const response = await stream(token);
    const text = await response.text();
    expect([text.startsWith('{"echo": "'), text.includes(keys[0] ?? "")]).toEqual([true, false]);
    expect(response.headers.get("content-encoding")).toBe(null);
    desk.provider.acts.push({ act: "error", status: 200, body, headers: { "content-encoding": "br" } });
    expect((await stream(token)).status).toBe(502);
  });

  test.each(["gzip, chunked", "chunked, gzip, chunked", "deflate, chunked", "x-unknown, chunked"])(
    "a transfer coding other than chunked (%s) is a 502",
    async (coding) => {
      const { token, keys } = await desk.bench({ provider: "openai", keys: 1 });
      const body = gzipSync(`{"echo": "${keys[0]}"}`);
      desk.provider.acts.push({ act: "error", status: 200, body, headers: { "transfer-encoding": coding } });
      const response = await stream(token);
      expect([response.status, (await response.json()).code]).toEqual([502, "upstream_refused"]);
    },
  );

  test("gzip of several members comes through whole, without the key", async () => {
    const { token, keys, log } = await desk.bench({ provider: "openai", keys: 1 });
    const [key = ""] = keys;
    // The key is split between the first two of three gzip members.
    const text = `{"echo": "${key}"}${"y".repeat(100_000)}`;
    const at = text.indexOf(key) + 5;
    const body = Buffer.concat([gzipSync(text.slice(0, at)), gzipSync(text.slice(at)), gzipSync("end")]);
    desk.provider.acts.push({ act: "error", status: 200, body, headers: { "content-encoding": "gzip" } });
    const response = await stream(token);
    expect(await response.text()).toBe(`${text.replace(key, "*".repeat(key.length))}end`);
    expect((await log()).map(({ outcome }) => outcome)).toEqual(["success"]);
  });

  test("gzip that is cut off breaks off", async () => {
    const { token, log } = await desk.bench({ provider: "openai", keys: 1 });
    const body = gzipSync("y".repeat(100_000)).subarray(0, -12);
    desk.provider.acts.push({ act: "error", status: 200, body, headers: { "content-encoding": "gzip" } });
    await expect(stream(token).then((response) => response.text())).rejects.toThrow();
    expect(await log()).toMatchObject([
      { outcome: expect.not.stringContaining("success"), effect: "ignored" },
    ]);
  });

  test.each([204, 205, 304])(
    "an answer without a body that has a length (%i) comes through",
    async (status) => {
      const { token, log } = await desk.bench({ provider: "openai", keys: 1 });
      const headers = { "content-length": "5", "x-request-id": "r1" };
      desk.provider.acts.push({ act: "error", status, headers });
      const response = await stream(token);
      expect([response.status, response.headers.get("x-request-id"), await response.text()]).toEqual([
        status,
        "r1",
        "",
      ]);
      expect((await log()).map(({ outcome }) => outcome)).toEqual(["success"]);
    },
  );

  test.each([
    ["Content-Length: 7", ""],
    ["Content-Length: 1048576", "x".repeat(1024)],
    ["Transfer-Encoding: chunked", "5\r\nabcde\r\n"],
  ])("a token that nobody knows is refused while its body is on its way: %s", async (length, start) => {
    const head = [
      `POST ${GATEWAY}/openai/v1/x HTTP/1.1`,
      "Host: localhost",
      `Authorization: Bearer kh_agent_${"4".repeat(64)}`,
      length,
      "Connection: close",
    ];
    const port = Number(new URL(desk.service.url).port);
    const { status } = readRaw(await sendRaw(port, `${head.join("\r\n")}\r\n\r\n${start}`));
    expect(status).toBe(401);
    expect(desk.provider.seen).toEqual([]);
  });

  test.each([101, 999])("an answer with status %i is a 502 and no success", async (status) => {
    const { token, log } = await desk.bench({ provider: "openai", keys: 1 });
    desk.provider.acts.push({ act: "error", status, body: "" });
    const response = await stream(token);
    expect([response.status, (await response.json()).code]).toEqual([502, "upstream_refused"]);
    await until(async () => (await log()).every(({ outcome }) => outcome !== null));
    expect((await log()).map(({ outcome }) => outcome)).not.toContain("success");
  });

  test("a request whose connection breaks before the answer is sent once, and reported", async () => {
    const { token, log } = await desk.bench({ provider: "openai", keys: 1 });
    desk.provider.acts.push({ act: "closes" });
    expect((await stream(token)).status).toBe(502);
    expect(desk.provider.seen).toHaveLength(1);
    expect(await log()).toMatchObject([{ outcome: "unreachable" }]);
  });

  test("a body that its sender cuts off does not reach the provider as a whole one", async () => {
    const { token, log } = await desk.bench({ provider: "openai", keys: 1 });
    const socket = connect(Number(new URL(desk.service.url).port), "127.0.0.1");
    socket.write(
      [
        `POST ${GATEWAY}/openai/v1/files HTTP/1.1`,
        "Host: localhost",
        `Authorization: Bearer ${token}`,
        "Transfer-Encoding: chunked",
        "",
        "",
      ].join("\r\n"),
    );
    for (let i = 0; i < 24; i += 1) socket.write(`10000\r\n${"z".repeat(0x10000)}\r\n`);
    // Wait for the open lease of the request: then the request's body is being sent to the provider.
    await until(async () => {
      const [last] = await desk.db.sql`select outcome from api_key_usage_log order by issued_at desc limit 1`;
      return last?.outcome === null;
    });
    socket.destroy();
    expect(await log()).toMatchObject([{ error_code: expect.stringMatching(/^cancel/i), effect: "ignored" }]);
    expect(desk.provider.seen).toEqual([]);
  });

  test("a caller that goes away while the provider does not read its upload has cancelled", async () => {
    const { token, log } = await desk.bench({ provider: "openai", keys: 1 });
    const bytes = 20 * 1024 * 1024;
    const socket = connect(Number(new URL(desk.service.url).port), "127.0.0.1");
    const head = [
      `POST ${GATEWAY}/openai${UNREAD} HTTP/1.1`,
      "Host: localhost",
      `Authorization: Bearer ${token}`,
      `Content-Length: ${bytes}`,
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    const arrived = once(desk.provider.unread, "request");
    await new Promise((sent) => socket.write(new Uint8Array(bytes - 1), sent));
    await arrived;
    socket.destroy();
    expect(await log()).toMatchObject([{ error_code: expect.stringMatching(/^cancel/i), effect: "ignored" }]);
  });

  test("a DELETE with a body passes", async () => {
    const { token } = await desk.bench({ provider: "openai", keys: 1 });
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${desk.service.url}${GATEWAY}/openai/v1/x`, {
      ...{ method: "DELETE", body: "{}", headers },
    });
    expect([response.status, desk.provider.seen.map(({ method, bytes }) => [method, bytes])]).toEqual([
      200,
      [["DELETE", 2]],
    ]);
  });

  test("a reader that takes its time holds the provider back, and gets everything", async () => {
    const { token, log } = await desk.bench({ provider: "openai", keys: 1 });
    // The body is larger than the buffers of the sockets.
    const body = "y".repeat(48 * 1024 * 1024);
    desk.provider.acts.push({ act: "error", status: 200, body });
    const response = await stream(token);
    // The lease is not reported while the answer is being read.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const [open] = await desk.db.sql`select outcome from api_key_usage_log order by issued_at desc limit 1`;
    expect(open?.outcome).toBe(null);
    expect((await response.text()).length).toBe(body.length);
    await until(async () => (await log()).every(({ outcome }) => outcome === "success"));
  });
});
