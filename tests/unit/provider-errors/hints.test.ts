import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readWait } from "../../../packages/core/src/keys/index.ts";

const sent = (value: number | string) => readWait(value, null).hint;
const stated = (text: string) => readWait(null, text).hint;

describe("retry_after", () => {
  test.each([
    [7, { seconds: 7 }],
    ["7", { seconds: 7 }],
    ["1.5", { seconds: 1.5 }],
    ["34s", { seconds: 34 }],
    ["34.074824224s", { seconds: 34.074824224 }],
    ["6m0s", { seconds: 360 }],
    ["1h2m", { seconds: 3720 }],
    ["1h2m3.5s", { seconds: 3723.5 }],
    ["644ms", { seconds: 0.644 }],
    ["2 minutes", { seconds: 120 }],
    ["PT34S", { seconds: 34 }],
    ["2026-11-22T10:30:00Z", { at: Date.UTC(2026, 10, 22, 10, 30) }],
    ["2026-11-22T12:30:00.000+02:00", { at: Date.UTC(2026, 10, 22, 10, 30) }],
    ["Sun, 22 Nov 2026 10:30:00 GMT", { at: Date.UTC(2026, 10, 22, 10, 30) }],
    ["Sunday, 22-Nov-26 10:30:00 GMT", { at: Date.UTC(2026, 10, 22, 10, 30) }],
    ["Sun Nov 22 10:30:00 2026", { at: Date.UTC(2026, 10, 22, 10, 30) }],
    ["1795343400", { at: 1_795_343_400_000 }],
    ["1795343400000", { at: 1_795_343_400_000 }],
  ])("%j", (value, hint) => {
    expect(sent(value)).toEqual(hint);
  });

  test.each([
    0,
    -5,
    "0",
    "-1",
    "-5",
    "0s",
    "0m0s",
    "0ms",
    "1e9",
    "NaN",
    "soon",
    "Sun, 22 Foo 2026 10:30:00 GMT",
    Number.NaN,
  ])("%j is none, and was sent", (value) => {
    expect(readWait(value, null)).toMatchObject({ hint: null, stated: true });
  });

  test.each([null, undefined, ""])("%j was not sent", (value) => {
    expect(readWait(value, null)).toEqual({ hint: null, stated: false });
  });

  test("a large whole number without a unit is milliseconds, except beside a limit of hours", () => {
    expect(sent("34000")).toEqual({ seconds: 34 });
    expect(sent("9999")).toEqual({ seconds: 9999 });
    expect(sent("34000s")).toEqual({ seconds: 34_000 });
    expect(sent("18000s")).toEqual({ seconds: 18_000 });
    expect(readWait("18000", null, true).hint).toEqual({ seconds: 18_000 });
    // The text repeats the header's number and gives its unit, so the number is not read as milliseconds.
    expect(readWait("86400", "Please retry after 86400 seconds.").hint).toEqual({ seconds: 86_400 });
  });
});

describe("in the text", () => {
  test.each([
    ["Please try again in 6m0s.", 360],
    ["Please try again in 1.98s. Need more?", 1.98],
    ["try again\nin 11.455s", 11.455],
    ["Please retry in 12.3s", 12.3],
    ["try again in 644ms", 0.644],
    ["Please retry after 35 seconds.", 35],
    ["Please wait 8 hours 24 minutes and try again", 30_240],
    ["resets in ~5s", 5],
    ["Your quota will reset after 18h31m10s", 66_670],
    ['{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}', 34],
    ["[violations {}, retry_delay {\n  seconds: 34\n}\n]", 34],
    ["headers={'retry-after': '20', 'x-request-id': '1'}", 20],
    ["retry-after-ms: 1200", 1.2],
    ["x-ratelimit-reset-requests: 6m0s", 360],
    ['{"error":"Model is currently loading","estimated_time":20.0}', 20],
    ["您的账户已达到速率限制，请在 30 秒后重试", 30],
    ["请1分钟后重试", 60],
    ["30초 후에 다시 시도하세요", 30],
    ["Попробуйте снова через 15 минут", 900],
    ["Bitte versuchen Sie es in 2 Stunden erneut", 7200],
    ["Veuillez réessayer dans 30 secondes", 30],
    ["Inténtalo de nuevo en 30 segundos", 30],
    ["Please retry after 00:01:30", 90],
    ["Your IP is blocked for 600 seconds", 600],
    ['{"errors":[{"code":"rate_limit","retry_in":6}]}', 6],
    ['{"message":"Too many","seconds_until_reset":42}', 42],
  ])("%s", (text, seconds) => {
    expect(stated(text)).toEqual({ seconds });
  });

  test.each([
    ["You will regain access on 2026-11-01 at 00:00 UTC.", Date.UTC(2026, 10, 1)],
    ["resets at 2026-05-15T15:00:00Z (2056)", Date.UTC(2026, 4, 15, 15)],
    // Chinese providers give times in China's time zone, in any language.
    [
      "Usage limit reached for 5 hour. Your limit will reset at 2026-12-09 18:08:11",
      Date.UTC(2026, 11, 9, 10, 8, 11),
    ],
    ["您的限额将在 2026-12-09 18:08:11 重置。", Date.UTC(2026, 11, 9, 10, 8, 11)],
    ['"X-RateLimit-Reset":"1795343400000"', 1_795_343_400_000],
  ])("%s", (text, at) => {
    expect(stated(text)).toEqual({ at });
  });

  test.each([
    "Request timed out after 30s",
    "Retrying in 5 seconds (attempt 5/10)",
    "try again in 0 seconds",
    "Please try again later",
    "limit: 20, model: x",
    "Developer accounts: 50 requests available every 12 hours",
    "total retry wait time: 33.74 seconds",
  ])("%s states none", (text) => {
    expect(stated(text)).toBeNull();
  });

  test("a limit of zero never ends, whatever wait is told with it", () => {
    const text = "Quota exceeded for metric: free_tier_requests, limit: 0, model: pro. Please retry in 12s";
    expect(readWait("12", text)).toMatchObject({ hint: null, stated: true });
    expect(readWait(null, text.replace("limit: 0", "limit: 05")).hint).toEqual({ seconds: 12 });
  });

  test("nor does waiting help one request that asks for more than the limit", () => {
    const text = (requested: number) =>
      `Rate limit reached on tokens per minute (TPM): Limit 5,000, Used 0, Requested ${requested}. Please try again in 12.6s.`;
    expect(stated(text(6053))).toBeNull();
    expect(stated(text(4000))).toEqual({ seconds: 12.6 });
  });

  test("the header comes before the text", () => {
    expect(readWait("7", "try again in 9s").hint).toEqual({ seconds: 7 });
    expect(readWait("nonsense", "try again in 9s").hint).toEqual({ seconds: 9 });
  });
});

test("never throws, and every wait is above zero", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc
      .array(
        fc.constantFrom(
          "retry",
          "in",
          "1",
          "h",
          "2.5",
          "s",
          "-1",
          "reset",
          ": ",
          "2026-01-01",
          "T00:00",
          "重置",
        ),
      )
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(fc.oneof(text, fc.double()), text, (value, message) => {
      const { hint } = readWait(value, message);
      if (hint !== null) expect("seconds" in hint ? hint.seconds : hint.at).toBeGreaterThan(0);
    }),
  );
});
