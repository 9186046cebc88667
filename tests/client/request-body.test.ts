import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { limit, openFetchBench, post } from "./fetch-bench.ts";

const { setup, open } = openFetchBench();
const MIB = 1024 * 1024;

const sha256 = (body: string) => createHash("sha256").update(body).digest("hex");
const inPieces = (body: string) =>
  new ReadableStream({
    start(controller) {
      for (let at = 0; at < body.length; at += 50_000)
        controller.enqueue(new TextEncoder().encode(body.slice(at, at + 50_000)));
      controller.close();
    },
  });

describe("the body of a Request", () => {
  test.each([
    ["2 bytes", "{}"],
    ["1 MiB", "x".repeat(MIB)],
    ["none", null],
  ])("%s: sent again with the next key, with the method and headers", async (_, body) => {
    const { fetch, url, keys, log } = await open(2);
    setup.provider.acts.push(limit("60"));
    const request = new Request(url, { ...post, body, headers: { ...post.headers, "x-own": "1" } });
    expect((await fetch(request)).status).toBe(200);
    const seen = { method: "POST", sha256: sha256(body ?? ""), headers: { "x-own": "1" } };
    expect(setup.provider.seen).toMatchObject(keys.map((key) => ({ key, ...seen })));
    expect((await log()).map(({ outcome }) => outcome)[0]).toBe("rate_limited");
  });

  test("more than 1 MiB: sent whole and once, with an event; the caller may send it again", async () => {
    const { fetch, url, events, log } = await open(2);
    setup.provider.acts.push(limit("60"));
    const body = "x".repeat(MIB + 1);
    const response = await fetch(new Request(url, { ...post, body }));
    expect([response.status, response.headers.has("x-should-retry")]).toEqual([429, false]);
    expect(setup.provider.seen.map((seen) => seen.sha256)).toEqual([sha256(body)]);
    expect(events.at(-1)).toMatchObject({ type: "give_up", provider: "openai", code: "body_sent_once" });
    expect(await log()).toMatchObject([{ outcome: "rate_limited" }]);
  });

  test("an abort ends the reading of one that does not end", async () => {
    const { fetch, url, calls } = await open(1);
    const controller = new AbortController();
    const body = new ReadableStream({ start: (stream) => stream.enqueue(new Uint8Array(1)) });
    const request = new Request(url, {
      ...post,
      body,
      signal: controller.signal,
      duplex: "half",
    } as RequestInit);
    const sending = setup.thrown(fetch(request));
    controller.abort();
    expect(await sending).toMatchObject({ name: "AbortError" });
    expect(calls).toEqual({});
  });

  test("is not read for a host that is not listed", async () => {
    const { keyhub, url } = await open(1);
    const request = new Request(url, post);
    await setup.thrown(keyhub.fetch("openai")(request));
    expect(request.bodyUsed).toBe(false);
  });
});

test("a body that is given as a stream is sent once only, with an event", async () => {
  const { call, keys, events, log } = await open(3);
  setup.provider.acts.push(limit("60"));
  const response = await call({ body: inPieces("{}"), duplex: "half" } as RequestInit);
  expect([response.status, response.headers.has("x-should-retry")]).toEqual([429, false]);
  expect(setup.provider.seen).toMatchObject([{ key: keys[0], sha256: sha256("{}") }]);
  expect(events.filter(({ type }) => type === "give_up")).toEqual([
    { type: "give_up", provider: "openai", code: "body_sent_once" },
  ]);
  expect(await log()).toMatchObject([{ outcome: "rate_limited" }]);
});
