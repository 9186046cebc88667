import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { classify } from "../../packages/core/src/keys/index.ts";

const read = (
  code: number | string | null,
  message: string | null = null,
  status: "success" | "fail" = "fail",
) => classify({ status, errorCode: code, errorMessage: message });
const outcomeOf = (code: number | string | null, message?: string) => read(code, message).outcome;

describe("classes by the leading code", () => {
  test.each([
    [429, "rate_limited"],
    ["429", "rate_limited"],
    [" 429 Too Many Requests", "rate_limited"],
    ["[429] some text", "rate_limited"],
    ["[ 429 ] some text", "rate_limited"],
    ["RESOURCE_EXHAUSTED", "rate_limited"],
    ["resource_exhausted: slow down", "rate_limited"],
    ["[RESOURCE_EXHAUSTED] Quota exceeded for quota metric 'Requests'", "rate_limited"],
    [402, "quota_exhausted"],
    [403, "invalid_key"],
    ["PERMISSION_DENIED", "invalid_key"],
    [401, "invalid_key"],
    ["UNAUTHENTICATED", "invalid_key"],
    [500, "server_error"],
    [529, "server_error"],
    [599, "server_error"],
    ["UNAVAILABLE", "server_error"],
    ["INTERNAL", "server_error"],
    [408, "unreachable"],
    ["timeout", "unreachable"],
    ["network error", "unreachable"],
    ["CANCELLED", "unreachable"],
    ["DEADLINE_EXCEEDED", "unreachable"],
    ["ECONNRESET", "unreachable"],
    [400, "caller_fault"],
    [404, "caller_fault"],
    ["INVALID_ARGUMENT", "caller_fault"],
    [499, "caller_fault"],
    ["[500] upstream said 403", "server_error"],
    ["upstream said 403", "unknown"],
    ["", "unknown"],
    ["[]", "unknown"],
    [0, "unknown"],
    [-429, "unknown"],
    [429.5, "unknown"],
    ["4290", "unknown"],
    ["constructor", "unknown"],
    ["__proto__", "unknown"],
    [200, "unknown"],
    [302, "unknown"],
    [600, "unknown"],
    [Number.NaN, "unknown"],
    [null, "unknown"],
  ])("%j is %s", (code, outcome) => {
    expect(outcomeOf(code)).toBe(outcome);
  });
});

describe("the text refines by closed lists", () => {
  test.each([
    [429, "You exceeded your current quota: insufficient_quota", "quota_exhausted"],
    ["[429] Your credit balance is too low", undefined, "quota_exhausted"],
    ["RESOURCE_EXHAUSTED", "monthly SPEND LIMIT reached", "quota_exhausted"],
    [429, "check your plan and billing details", "quota_exhausted"],
    [429, "Quota exceeded for quota metric", "rate_limited"],
    [403, "flagged by moderation", "caller_fault"],
    [403, "unsupported_country_region_territory", "refused"],
    [403, "no access to model gpt-9", "refused"],
    [403, "key is blocked", "invalid_key"],
    [400, "API key not valid. reason: API_KEY_INVALID", "invalid_key"],
    ["[INVALID_ARGUMENT] API_KEY_INVALID", undefined, "invalid_key"],
    [400, "model is invalid", "caller_fault"],
    [500, "insufficient_quota moderation API_KEY_INVALID", "server_error"],
    [404, "insufficient_quota", "caller_fault"],
  ])("%j with %j is %s", (code, message, outcome) => {
    expect(outcomeOf(code, message)).toBe(outcome);
  });

  test.each([
    [403, "", true],
    [401, "", false],
    [401, "token_expired", true],
    [401, "Invalid API key", true],
    ["[401] this key was revoked", "", true],
    [401, "try later", false],
    [400, "API_KEY_INVALID", true],
  ])("%j with %j: disables %j", (code, message, disables) => {
    expect(read(code, message).disables).toBe(disables);
  });
});

test("a short word of connections inside a longer word says nothing", () => {
  expect(outcomeOf(499, "valueOf is not a function")).toBe("caller_fault");
  expect(outcomeOf(499, "read tcp: EOF")).toBe("unreachable");
});

describe("for any input", () => {
  // Reading these texts takes a moment. A pattern whose time grows with the square of the length would take minutes.
  test.each([
    `${" ".repeat(400_000)}!`,
    `${" ".repeat(200_000)}[${" ".repeat(200_000)}!`,
    `[${"\n".repeat(400_000)}]`,
    `1${".0".repeat(200_000)}!`,
    `${"9".repeat(400_000)}!`,
  ])("a body's worth of one character is read in one go", { timeout: 10_000 }, (code) => {
    expect(["unknown", "caller_fault"]).toContain(read(code, code).outcome);
  });

  const anyCode = fc.oneof(
    fc.string(),
    fc.double(),
    fc.integer(),
    fc.string({ unit: "binary" }),
    fc.constant(null),
  );

  test("it never throws, and what it would log is a short code and never text of the caller", () => {
    fc.assert(
      fc.property(anyCode, fc.string(), (code, message) => {
        const { code: logged } = read(code, message);
        expect(logged === null || /^\d{1,5}$|^[A-Za-z][\w/]{2,50}$/.test(logged)).toBe(true);
      }),
    );
  });

  test("only statuses that can be about the key listen to words", () => {
    const deaf = fc
      .integer({ min: 100, max: 999 })
      .filter(
        (code) =>
          ![400, 401, 402, 403, 412, 413, 420, 422, 429, 432, 433, 456].includes(code) &&
          code >= 400 &&
          code <= 599,
      );
    fc.assert(
      fc.property(
        deaf,
        // Noise with "<" is left out: the text would be read as the HTML page of a proxy.
        fc.string().filter((noise) => !noise.includes("<")),
        fc.constantFrom("insufficient_quota", "moderation", "API_KEY_INVALID", "revoked"),
        (code, noise, word) => {
          expect(read(`[${code}] ${noise} ${word}`)).toEqual(read(code));
        },
      ),
    );
  });

  test("a number, its text and its bracketed form are the same", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99_999 }), (code) => {
        expect(read(String(code))).toEqual(read(code));
        expect(read(`[${code}]`)).toEqual(read(code));
      }),
    );
  });

  test("a success is a success whatever else is sent", () => {
    fc.assert(
      fc.property(anyCode, (code) => {
        expect(read(code, "403 invalid", "success")).toEqual({
          outcome: "success",
          dead: false,
          disables: false,
          scope: null,
          code: null,
        });
      }),
    );
  });

  test("long and nasty texts take no time worth speaking of: the patterns are linear", () => {
    for (const text of [
      "[".repeat(60_000),
      " ".repeat(60_000),
      "4".repeat(60_000),
      "_".repeat(60_000),
      "a.".repeat(30_000),
    ]) {
      expect(outcomeOf(text)).toBe("unknown");
    }
  });
});
