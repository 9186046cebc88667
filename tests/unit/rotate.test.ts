import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseLeaseRequest } from "../../packages/core/src/keys/requests.ts";
import {
  EventErrors,
  failureOf,
  modelName,
  modelOf,
  retryAfter,
  rotates,
} from "../../packages/core/src/rotate/index.ts";
import { LONG_TESTS } from "../support/long-tests.ts";

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
      { error_code: 429, retry_after: "7s", error_message: '{"code":"x"}' },
    ],
    [
      "plain headers in any case",
      { status: 429, headers: { "Retry-After": 7 } },
      { error_code: 429, retry_after: "7s" },
    ],
    [
      "milliseconds",
      { status: 429, headers: { "retry-after-ms": "1500" } },
      { error_code: 429, retry_after: "1.5s" },
    ],
    [
      "ai sdk",
      { statusCode: 402, responseBody: "b", responseHeaders: {} },
      { error_code: 402, error_message: "b" },
    ],
    [
      "axios",
      { code: "ERR_BAD_REQUEST", response: { status: 403, headers: { "retry-after": "1" } } },
      { error_code: 403, retry_after: "1s" },
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
});

describe("the wait that headers state", () => {
  const at = new Date(2_000_000_000_000).toISOString();
  test.each<[string, Record<string, string>, string | null]>([
    ["hours, with their unit", { "retry-after": "18000" }, "18000s"],
    ["milliseconds go before seconds", { "retry-after-ms": "250", "Retry-After": "9" }, "0.25s"],
    ["18000 s in milliseconds", { "retry-after-ms": "18000000", "retry-after": "18000" }, "18000s"],
    ["a date as it is", { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }, "Wed, 21 Oct 2026 07:28:00 GMT"],
    ["Retry-After goes before resets", { "retry-after": "3", "x-ratelimit-reset-requests": "1s" }, "3s"],
    ["openai", { "x-ratelimit-reset-requests": "7s" }, "7s"],
    ["minutes", { "x-ratelimit-reset-tokens": "6m0s" }, "360s"],
    ["hours and parts of a second", { "x-ratelimit-reset-tokens": "1h2m3.5s" }, "3723.5s"],
    ["milliseconds with a unit", { "x-ratelimit-reset-tokens": "120ms" }, "0.12s"],
    [
      "only of what is used up",
      {
        "x-ratelimit-reset-requests": "7s",
        "x-ratelimit-remaining-requests": "59",
        "x-ratelimit-reset-tokens": "6m0s",
        "x-ratelimit-remaining-tokens": "0",
      },
      "360s",
    ],
    ["the soonest of them", { "x-ratelimit-reset-requests": "7s", "x-ratelimit-reset-tokens": "6m0s" }, "7s"],
    ["nothing is used up", { "ratelimit-reset": "25", "ratelimit-remaining": "3" }, null],
    ["draft of the IETF", { "ratelimit-reset": "25" }, "25s"],
    ["anthropic", { "anthropic-ratelimit-requests-reset": "2033-05-18T03:33:20Z" }, at],
    ["Unix time", { "x-ratelimit-reset": "2000000000" }, at],
    ["Unix time in milliseconds", { "x-ratelimit-reset": "2000000000000" }, at],
    ["no time", { "x-ratelimit-reset": "soon", "ratelimit-reset": "0" }, null],
    ["none", {}, null],
  ])("%s", (_, headers, wait) => {
    expect(retryAfter(Object.entries(headers), 429)).toBe(wait);
    expect(retryAfter(new Headers(headers), 429)).toBe(wait);
  });

  test("resets come with every answer, and mean something with 429 alone", () => {
    const headers = { "x-ratelimit-reset-requests": "7s", "retry-after": "2" };
    expect(retryAfter(Object.entries(headers), 401)).toBe("2s");
    expect(retryAfter([["x-ratelimit-reset-requests", "7s"]], 401)).toBeNull();
  });
});

describe("the model of a request", () => {
  const url = (path: string) => new URL(path, "https://provider.test");
  test.each([
    ["/v1/chat/completions", '{"model":"GPT-5-mini"}', "gpt-5-mini"],
    ["/v1beta/models/gemini-2.5-pro:generateContent", "{}", "gemini-2.5-pro"],
    ["/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", '{"model":"other"}', "gemini-2.5-pro"],
    ["/v1/projects/p/locations/l/publishers/google/models/gemini-pro:predict", "", "gemini-pro"],
    ["/openai/deployments/My-GPT4/chat/completions?api-version=1", '{"model":"gpt-4"}', "my-gpt4"],
    ["/model/anthropic.claude-3%3A0/invoke", "{}", "anthropic.claude-3:0"],
    ["/v1/embeddings", '{"model":" models/Text-Embedding "}', "text-embedding"],
    // No model: a path that is not about one model, or a body without a valid model name.
    ["/v1/models/gpt-5", null, null],
    ["/v1/chat/completions", '{"model":["a"]}', null],
    ["/v1/chat/completions", '{"model":"a\\u0000b"}', null],
    ["/v1/chat/completions", '{"model":"\\ud800"}', null],
    ["/v1/chat/completions", '{"model":""}', null],
    ["/v1/chat/completions", `{"model":"${"x".repeat(129)}"}`, null],
    ["/v1/chat/completions", '{"model":', null],
    ["/v1/chat/completions", '[{"model":"a"}]', null],
    ["/model/%ff/invoke", '{"model":"a"}', null],
    ["/v1/chat/completions", new FormData(), null],
  ])("%s %s", (path, body, model) => {
    expect(modelOf(url(path), body)).toBe(model);
    if (typeof body === "string") expect(modelOf(url(path), new TextEncoder().encode(body))).toBe(model);
  });

  test("a body of more than 1 MiB is not searched", () => {
    const body = (length: number) => `{"model":"a","x":"${"x".repeat(length - 20)}"}`;
    expect(body(1_048_576)).toHaveLength(1_048_576);
    expect(modelOf(url("/"), body(1_048_576))).toBe("a");
    expect(modelOf(url("/"), body(1_048_577))).toBeNull();
    expect(modelOf(url("/"), new TextEncoder().encode(body(1_048_577)))).toBeNull();
  });

  test("names are as the service keeps them, and none is left that it would refuse", () => {
    const character = fc.constantFrom(
      "a",
      "A",
      "İ",
      "ß",
      " ",
      "\u0000",
      "\u001f",
      "\u0085",
      "\ufeff",
      "\ud800",
      "💡",
      "/",
      "models/",
    );
    fc.assert(
      fc.property(fc.array(character, { maxLength: 140 }), (characters) => {
        const name = characters.join("");
        const read = parseLeaseRequest({ model: name });
        expect(modelName(name)).toBe(read.ok ? read.value.model : null);
      }),
      { numRuns: LONG_TESTS ? 2_000 : 500 },
    );
  });
});

test("after which failures another key may help", () => {
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
