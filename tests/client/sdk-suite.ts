import { describe, expect, test } from "vitest";
import { LONG_TESTS } from "../support/long-tests.ts";
import { until } from "../support/until.ts";
import type { Bench, openBench } from "./fixture.ts";
import { anthropicError, geminiError, openaiError, saysOf } from "./sdk-answers.ts";
import { SDKS, type Way } from "./sdks.ts";

export const ANSWER = "forty-two";

/** Tests each SDK with every kind of answer, for each way to the provider. */
export function sdkSuite(
  desk: ReturnType<typeof openBench>,
  way: (bench: Bench, provider: string) => Way,
  sdks: typeof SDKS = SDKS,
): void {
  describe.each(sdks)("$name", (sdk) => {
    // What the client or the gateway does alone is the same for each SDK, so the normal form tests it with the first one.
    const isFull = LONG_TESTS || sdk === sdks[0];
    const alone = test.runIf(isFull);
    const answers = saysOf(sdk.provider);
    const open = async (keys: number) => {
      const bench = await desk.bench({ provider: sdk.provider, keys });
      const ours = way(bench, sdk.provider);
      return {
        ...bench,
        ...sdk.open(ours),
        header: ours.header ?? sdk.header,
      };
    };

    test("the key stands where the SDK put its placeholder; a success is reported at the end of the body", async () => {
      const { ask, stream, keys, log, header } = await open(1);
      expect(await ask()).toBe(ANSWER);
      expect(await stream()).toBe(ANSWER);
      expect(desk.provider.seen.map(({ key }) => key)).toEqual([keys[0], keys[0]]);
      expect(desk.provider.seen[0]?.headers[header]).toContain(keys[0]);
      expect(await log()).toMatchObject([{ outcome: "success" }, { outcome: "success" }]);
    });

    test.each(isFull ? (["limit", "dead", "money", "denied"] as const) : (["limit", "dead"] as const))(
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
        // The second call does not use the first key any more.
        expect(desk.provider.seen.map(({ key }) => key)).toEqual([keys[0], keys[1], keys[1]]);
        expect(await log()).toMatchObject([
          { key: "key 0", outcome, effect: kind === "limit" || kind === "money" ? "cooled" : "disabled" },
          { key: "key 1", outcome: "success" },
          { key: "key 1", outcome: "success" },
        ]);
      },
    );

    alone("429 with Retry-After, the only key: the call waits so long and is served by it", async () => {
      const { ask, log } = await open(1);
      desk.provider.acts.push({ act: "error", ...answers.limit, headers: { "retry-after": "1" } });
      expect(await ask()).toBe(ANSWER);
      expect(await log()).toMatchObject([
        { outcome: "rate_limited", effect: "cooled" },
        { outcome: "success" },
      ]);
    });

    test("429 of every key: three calls in all, and the SDK's own error of the last answer", async () => {
      const { ask, keys, log } = await open(5);
      const limit = { act: "error" as const, ...answers.limit, headers: { "retry-after": "60" } };
      for (const key of keys) desk.provider.byKey.set(key, limit);
      const error = await desk.thrown(ask());
      expect(error.status ?? error.statusCode).toBe(429);
      expect(desk.provider.seen.map(({ key }) => key)).toEqual(keys.slice(0, 3));
      expect((await log()).map(({ outcome }) => outcome)).toEqual(Array(3).fill("rate_limited"));
    });

    alone(
      "two keys with the same 403 that blames no key: no third is tried, and neither rests for it",
      async () => {
        const { ask, keys, log } = await open(4);
        const bare = { act: "error" as const, status: 403, headers: { "content-type": "text/plain" } };
        for (const key of keys) desk.provider.byKey.set(key, bare);
        const error = await desk.thrown(ask());
        expect(error.status ?? error.statusCode).toBe(403);
        expect(desk.provider.seen).toHaveLength(2);
        expect(await log()).toMatchObject([
          { outcome: "invalid_key", effect: "disabled" },
          { outcome: "caller_fault", effect: "lifted" },
        ]);
      },
    );

    alone("four dead keys in front: the fifth serves", async () => {
      const { ask, keys, log } = await open(5);
      for (const key of keys.slice(0, 4)) desk.provider.byKey.set(key, { act: "error", ...answers.dead });
      expect(await ask()).toBe(ANSWER);
      expect(desk.provider.seen.map(({ key }) => key)).toEqual(keys);
      expect((await log()).map(({ outcome }) => outcome)).toEqual([
        ...Array(4).fill("invalid_key"),
        "success",
      ]);
    });

    alone("402: the next key serves", async () => {
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

    test("an abort of the caller: no fault of the key, before the answer and in the stream", async () => {
      const { ask, stream, log } = await open(1);
      const asking = [(signal: AbortSignal) => ask("?", signal), "hang"] as const;
      const reading = [stream, "stalls"] as const;
      for (const [call, act] of [asking, reading]) {
        const controller = new AbortController();
        desk.provider.acts.push({ act });
        const before = desk.provider.seen.length;
        // When a stream was aborted, some SDKs end it without an error.
        const ended = call(controller.signal).catch((error: unknown) => desk.thrown(Promise.reject(error)));
        await until(() => desk.provider.seen.length > before);
        // Give the first half of the stream time to reach its reader.
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
  });
}
