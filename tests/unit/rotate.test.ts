import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventErrors, failureOf, retryAfter, rotates } from "../../packages/core/src/rotate/index.ts";

describe("an error event inside a stream", () => {
  const read = (text: string, pieces = [text.length]) => {
    const events = new EventErrors();
    let at = 0;
    for (const size of pieces) {
      events.push(text.slice(at, at + size));
      at += size;
    }
    events.push(text.slice(at));
    return events.end();
  };
  const STREAMS: [string, string, number | string][] = [
    [
      "openai",
      'data: {"choices":[]}\n\ndata: {"error":{"message":"m","type":"server_error","code":null}}\n\n',
      "server_error",
    ],
    [
      "openai, with a code",
      'data: {"error":{"message":"m","type":"requests","code":"rate_limit_exceeded"}}\r\n\r\n',
      "rate_limit_exceeded",
    ],
    [
      "openai responses",
      'event: error\ndata: {"type":"error","code":"insufficient_quota","message":"m"}\n\n',
      "insufficient_quota",
    ],
    [
      "openai responses, failed",
      'data: {"type":"response.failed","response":{"error":{"code":"server_error","message":"m"}}}\n\n',
      "server_error",
    ],
    [
      "anthropic",
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
      "overloaded_error",
    ],
    ["gemini", 'data: {"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}\n\n', 503],
    [
      "gemini, as plain JSON",
      'data: {"candidates":[]}\n\n{\n  "error": {\n    "code": 429,\n    "status": "RESOURCE_EXHAUSTED"\n  }\n}\n',
      429,
    ],
    ["a list of one", '[{\n  "error": {\n    "code": 429\n  }\n}\n]', 429],
    [
      "openrouter",
      'data: {"id":"g","choices":[],"error":{"code":402,"message":"Insufficient credits"}}\n\n',
      402,
    ],
    ["words only", "event: error\ndata: upstream gone\n\n", "server_error"],
    ["words only, after others", "event: a\ndata: b\n\nevent:error \ndata: gone\n\n", "server_error"],
    ["lines that end with CR", "data: {}\r\revent: error\rdata: gone\r\r", "server_error"],
  ];
  test.each(STREAMS)("%s", (_, text, code) => {
    expect(read(text)).toMatchObject({ status: "fail", error_code: code });
  });
  test.each(STREAMS)("%s, in any pieces", (_, text, code) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 200 }), (pieces) => {
        expect(read(text, pieces)?.error_code).toBe(code);
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    [
      "an answer that speaks of errors",
      'data: {"choices":[{"delta":{"content":"{\\"error\\": {\\"code\\": 401}}"}}]}\n\n',
    ],
    ["an error that is null", 'data: {"type":"response.completed","error":null}\n\n'],
    ["a comment", ': {"error":{"code":500}}\n\n'],
    ["no JSON", 'data: "error"\n\ndata: {"error"\n\n'],
    ["what was named error is over", 'event: error\n\ndata: {"type":"text"}\n\n'],
  ])("none: %s", (_, text) => {
    expect(read(text)).toBeNull();
  });

  test("a line without an end takes no memory beyond its limit, and the next line is read", () => {
    const events = new EventErrors();
    for (let i = 0; i < 2_000; i += 1) events.push("data: ".padEnd(1_000, "x"));
    events.push('\ndata: {"error":{"code":500}}\n');
    expect(events.end()).toMatchObject({ error_code: 500 });
  });
});

describe("what a thrown error says", () => {
  const error = (fields: object) => Object.assign(new Error("said"), fields);
  test.each([
    [
      "openai",
      { status: 429, headers: new Headers({ "retry-after": "7" }), error: { code: "x" } },
      { error_code: 429, retry_after: "7", error_message: '{"code":"x"}' },
    ],
    [
      "plain headers in any case",
      { status: 429, headers: { "Retry-After": 7 } },
      { error_code: 429, retry_after: "7" },
    ],
    [
      "milliseconds",
      { status: 429, headers: { "retry-after-ms": "1500" } },
      { error_code: 429, retry_after: "1.5" },
    ],
    [
      "ai sdk",
      { statusCode: 402, responseBody: "b", responseHeaders: {} },
      { error_code: 402, error_message: "b" },
    ],
    [
      "axios",
      { code: "ERR_BAD_REQUEST", response: { status: 403, headers: { "retry-after": "1" } } },
      { error_code: 403, retry_after: "1" },
    ],
    ["google", { status: 400, message: '{"error":{}}' }, { error_code: 400, error_message: '{"error":{}}' }],
    ["undici", { cause: { code: "UND_ERR_SOCKET" } }, { error_code: "UND_ERR_SOCKET" }],
    ["ai sdk, after its retries", { lastError: { statusCode: 503 } }, { error_code: 503 }],
    ["a timeout", { name: "TimeoutError" }, { error_code: "timeout" }],
    ["an abort", { name: "AbortError" }, { error_code: "cancelled" }],
    ["a name only", { name: "APIConnectionError" }, { error_code: "APIConnectionError" }],
    ["nothing that could be told", { name: "it is 42" }, { error_code: "unknown" }],
  ])("%s", (_, fields, told) => {
    expect(failureOf(error(fields))).toMatchObject({ status: "fail", ...told });
  });

  test("anything can be thrown; an abort of ours is one whatever was thrown", () => {
    for (const thrown of [undefined, null, "text", 7, Symbol("s")])
      expect(failureOf(thrown).error_code).toBe("unknown");
    expect(failureOf(error({ status: 429 }), true).error_code).toBe("cancelled");
    const circle: Record<string, unknown> = {};
    circle.cause = circle;
    expect(failureOf(circle).error_code).toBe("unknown");
  });

  test("no more than 4 KB of a body is told", () => {
    expect(failureOf(error({ status: 400, error: "x".repeat(9_000) })).error_message).toHaveLength(4_096);
  });

  test("the milliseconds of a wait go before its seconds", () => {
    const headers = new Map([
      ["retry-after-ms", "250"],
      ["retry-after", "9"],
    ]);
    expect(retryAfter((name) => headers.get(name) ?? null)).toBe("0.25");
    expect(retryAfter(() => null)).toBeNull();
  });
});

test("which failures another key may better", () => {
  const rows: [number | string, Parameters<typeof rotates>[1], boolean][] = [
    [429, null, true],
    [429, "rate_limited", true],
    [429, "server_error", true],
    [429, "intermediary", false],
    [401, null, true],
    [402, null, true],
    [403, null, true],
    [403, "caller_fault", false],
    [401, "refused", true],
    [400, null, false],
    [400, "quota_exhausted", true],
    [400, "invalid_key", true],
    [400, "caller_fault", false],
    [404, "quota_exhausted", false],
    [500, "rate_limited", false],
    [529, null, false],
    ["network", null, false],
  ];
  for (const [error_code, outcome, other] of rows)
    expect([error_code, outcome, rotates({ status: "fail", error_code }, outcome)]).toEqual([
      error_code,
      outcome,
      other,
    ]);
});
