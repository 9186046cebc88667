import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { until } from "../support/until.ts";
import { openBench } from "./fixture.ts";
import { SDKS } from "./sdks.ts";

const desk = openBench();
const ANSWER = "forty-two";

const openaiError = (message: string, type: string, code: string | null = null) =>
  JSON.stringify({ error: { message, type, param: null, code } });
const anthropicError = (type: string, message: string) =>
  JSON.stringify({ type: "error", error: { type, message } });
const geminiError = (code: number, status: string, message: string, details: unknown[] = []) =>
  JSON.stringify({ error: { code, message, status, details } });

/** How each provider says these things. */
const says: Record<
  string,
  Record<"limit" | "money" | "dead" | "denied" | "broken", { status: number; body: string }>
> = {
  openai: {
    limit: {
      status: 429,
      body: openaiError(
        "Rate limit reached for gpt. Please try again in 20s.",
        "requests",
        "rate_limit_exceeded",
      ),
    },
    money: {
      status: 429,
      body: openaiError(
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
        "insufficient_quota",
      ),
    },
    dead: {
      status: 401,
      body: openaiError("Incorrect API key provided: sk-x.", "invalid_request_error", "invalid_api_key"),
    },
    denied: { status: 403, body: openaiError("Your account is not active.", "access_terminated") },
    broken: { status: 500, body: openaiError("The server had an error.", "server_error") },
  },
  anthropic: {
    limit: {
      status: 429,
      body: anthropicError("rate_limit_error", "This request would exceed your rate limit."),
    },
    money: {
      status: 400,
      body: anthropicError(
        "invalid_request_error",
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
      ),
    },
    dead: { status: 401, body: anthropicError("authentication_error", "invalid x-api-key") },
    denied: { status: 403, body: anthropicError("authentication_error", "This API key has been revoked.") },
    broken: { status: 500, body: anthropicError("api_error", "Internal server error") },
  },
  gemini: {
    limit: {
      status: 429,
      body: geminiError(429, "RESOURCE_EXHAUSTED", "Resource exhausted. Please retry in 20s."),
    },
    money: { status: 402, body: geminiError(402, "PAYMENT_REQUIRED", "Payment required.") },
    dead: {
      status: 400,
      body: geminiError(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: "API_KEY_INVALID",
          domain: "googleapis.com",
        },
      ]),
    },
    denied: {
      status: 403,
      body: geminiError(
        403,
        "PERMISSION_DENIED",
        "Your API key was reported as leaked. Please use another API key.",
      ),
    },
    broken: { status: 500, body: geminiError(500, "INTERNAL", "An internal error has occurred.") },
  },
};

function saysOf(provider: string) {
  const answers = says[provider];
  if (answers === undefined) throw new Error(`what does ${provider} say?`);
  return answers;
}

describe.each(SDKS)("$name", (sdk) => {
  const answers = saysOf(sdk.provider);
  const open = async (keys: number, options = {}) => {
    const bench = await desk.bench({ provider: sdk.provider, keys }, options);
    return { ...bench, ...sdk.open(bench.keyhub, desk.provider.origin) };
  };

  test("the key stands where the SDK put its placeholder; a success is reported at the end of the body", async () => {
    const { ask, stream, keys, log } = await open(1);
    expect(await ask()).toBe(ANSWER);
    expect(await stream()).toBe(ANSWER);
    expect(desk.provider.seen.map(({ key }) => key)).toEqual([keys[0], keys[0]]);
    expect(desk.provider.seen[0]?.headers[sdk.header]).toContain(keys[0]);
    expect(await log()).toMatchObject([{ outcome: "success" }, { outcome: "success" }]);
  });

  test.each(["limit", "money", "dead", "denied"] as const)(
    "%s: the next key serves, also for a stream",
    async (kind) => {
      const { ask, stream, keys, log } = await open(2);
      const answer = { act: "error" as const, ...answers[kind] };
      desk.provider.byKey.set(keys[0] ?? "", answer);
      expect(await ask()).toBe(ANSWER);
      expect(await stream()).toBe(ANSWER);
      const outcome = {
        limit: "rate_limited",
        money: "quota_exhausted",
        dead: "invalid_key",
        denied: "invalid_key",
      }[kind];
      // The second call does not meet the first key any more.
      expect(desk.provider.seen.map(({ key }) => key)).toEqual([keys[0], keys[1], keys[1]]);
      expect(await log()).toMatchObject([
        { key: "key 0", outcome, effect: kind === "limit" || kind === "money" ? "cooled" : "disabled" },
        { key: "key 1", outcome: "success" },
        { key: "key 1", outcome: "success" },
      ]);
    },
  );

  test("429 with Retry-After, the only key: the call waits so long and is served by it", async () => {
    const { ask, log, events } = await open(1);
    desk.provider.acts.push({ act: "error", ...answers.limit, headers: { "retry-after": "1" } });
    expect(await ask()).toBe(ANSWER);
    expect(await log()).toMatchObject([
      { outcome: "rate_limited", effect: "cooled" },
      { outcome: "success" },
    ]);
    expect(events.filter(({ type }) => type === "wait")).toHaveLength(1);
  });

  test("429 of every key: three calls in all, and the SDK's own error of the last answer", async () => {
    const { ask, keys, log } = await open(5);
    for (const key of keys) desk.provider.byKey.set(key, { act: "error", ...answers.limit });
    const error = await desk.thrown(ask());
    expect(error.status ?? error.statusCode).toBe(429);
    expect(desk.provider.seen.map(({ key }) => key)).toEqual(keys.slice(0, 3));
    expect((await log()).map(({ outcome }) => outcome)).toEqual(Array(3).fill("rate_limited"));
  });

  test("two keys with the same 403: no third is tried", async () => {
    const { ask, keys, log } = await open(4);
    for (const key of keys) desk.provider.byKey.set(key, { act: "error", ...answers.denied });
    const error = await desk.thrown(ask());
    expect(error.status ?? error.statusCode).toBe(403);
    expect(desk.provider.seen).toHaveLength(2);
    expect((await log()).map(({ outcome }) => outcome)).toEqual(["invalid_key", "invalid_key"]);
  });

  test("402: the next key serves", async () => {
    const { ask, keys, log } = await open(2);
    desk.provider.acts.push({ act: "error", status: 402, body: "" });
    expect(await ask()).toBe(ANSWER);
    expect(desk.provider.seen.map(({ key }) => key)).toEqual(keys);
    expect(await log()).toMatchObject([{ outcome: "quota_exhausted" }, { outcome: "success" }]);
  });

  test("400 of the caller's making: one call, reported as the caller's, the SDK's own error", async () => {
    const { ask, log } = await open(2);
    const body =
      sdk.provider === "anthropic"
        ? anthropicError("invalid_request_error", "max_tokens: field required")
        : sdk.provider === "gemini"
          ? geminiError(400, "INVALID_ARGUMENT", "Invalid value at 'contents'")
          : openaiError("Invalid type for 'messages'.", "invalid_request_error", "invalid_type");
    desk.provider.acts.push({ act: "error", status: 400, body });
    const error = await desk.thrown(ask());
    expect(error.status ?? error.statusCode).toBe(400);
    expect(desk.provider.seen).toHaveLength(1);
    expect(await log()).toMatchObject([{ outcome: "caller_fault", effect: "ignored" }]);
  });

  test("500: reported, and left to the SDK's own retries", async () => {
    const { ask, log } = await open(2);
    desk.provider.acts.push({ act: "error", ...answers.broken });
    if (sdk.retries) expect(await ask()).toBe(ANSWER);
    else expect(await desk.thrown(ask()).then(({ status, statusCode }) => status ?? statusCode)).toBe(500);
    const rows = await log();
    expect(rows[0]).toMatchObject({ outcome: "server_error" });
    expect(rows).toHaveLength(sdk.retries ? 2 : 1);
  });

  test("a connection cut in the stream: the caller's error, reported as unreachable, never sent again", async () => {
    const { stream, log } = await open(2);
    desk.provider.acts.push({ act: "cut" });
    await desk.thrown(stream());
    expect(await log()).toMatchObject([{ outcome: "unreachable" }]);
    expect(desk.provider.seen).toHaveLength(1);
  });

  test("an error event inside a 200 stream is reported as its code", async () => {
    const { stream, log } = await open(2);
    const text =
      {
        openai: `data: ${openaiError("Rate limit reached", "requests", "rate_limit_exceeded")}\n\n`,
        anthropic: `event: error\ndata: ${anthropicError("overloaded_error", "Overloaded")}\n\n`,
        gemini: JSON.stringify(JSON.parse(answers.limit.body), null, 2),
      }[sdk.provider] ?? "";
    desk.provider.acts.push({ act: "breaks", text });
    await desk.thrown(stream());
    const outcome = sdk.provider === "anthropic" ? "server_error" : "rate_limited";
    expect(await log()).toMatchObject([{ key: "key 0", outcome }]);
  });

  test("a hang before the first byte ends at our limit, reported as timeout", async () => {
    const { ask, log } = await open(2, { firstByteTimeout: 200 });
    desk.provider.acts.push({ act: "hang" });
    if (sdk.retries) expect(await ask()).toBe(ANSWER);
    else await desk.thrown(ask());
    const [first] = await log();
    expect(first).toMatchObject({
      outcome: "unreachable",
      error_code: expect.stringMatching(/^timeout/i),
      effect: "ignored",
    });
  });

  test("an abort of the caller: no fault of the key, before the answer and in the stream", async () => {
    const { ask, stream, log } = await open(1);
    for (const [call, act] of [
      [(signal: AbortSignal) => ask("?", signal), "hang"],
      [stream, "stalls"],
    ] as const) {
      const controller = new AbortController();
      desk.provider.acts.push({ act });
      const before = desk.provider.seen.length;
      // Some SDKs end a stream that was aborted without an error.
      const ended = call(controller.signal).catch((error: unknown) => desk.thrown(Promise.reject(error)));
      await until(() => desk.provider.seen.length > before);
      // The first half of the stream is on its way to its reader.
      await new Promise((resolve) => setTimeout(resolve, 100));
      controller.abort();
      await ended;
    }
    expect(desk.provider.seen).toHaveLength(2);
    await until(async () => (await log()).every(({ outcome }) => outcome !== null));
    expect(await log()).toMatchObject([
      { outcome: "unreachable", error_code: expect.stringMatching(/^cancel/i), effect: "ignored" },
      { outcome: "unreachable", error_code: expect.stringMatching(/^cancel/i), effect: "ignored" },
    ]);
  });

  test("a body of 20 MB goes out whole, twice", async () => {
    const { ask, keys } = await open(2);
    desk.provider.acts.push({ act: "error", ...answers.limit });
    expect(await ask("x".repeat(20 * 1024 * 1024))).toBe(ANSWER);
    const [first, second] = desk.provider.seen;
    expect([first?.key, second?.key]).toEqual(keys);
    expect(first?.bytes).toBeGreaterThan(20 * 1024 * 1024);
    expect(second?.sha256).toBe(first?.sha256);
  });
});

test("a body that is a stream is sent once only", async () => {
  const { keyhub, keys, log } = await desk.bench({ provider: "openai", keys: 3 });
  desk.provider.acts.push({ act: "error", ...saysOf("openai").limit });
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("{}"));
      controller.close();
    },
  });
  const response = await keyhub.fetch("openai", { hosts: [desk.provider.origin] })(
    `${desk.provider.origin}/v1/chat/completions`,
    { method: "POST", body, duplex: "half" } as RequestInit,
  );
  expect(response.status).toBe(429);
  expect(response.headers.get("x-should-retry")).toBe("false");
  expect(desk.provider.seen).toMatchObject([
    { key: keys[0], sha256: createHash("sha256").update("{}").digest("hex") },
  ]);
  expect(await log()).toMatchObject([{ outcome: "rate_limited" }]);
});
