import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  classify,
  type Outcome,
  POLICY,
  readReport,
  readRetryAfter,
  transitionFor,
} from "../../packages/core/src/keys/index.ts";

describe("retry_after", () => {
  test.each([
    [30, { seconds: 30 }],
    [0.25, { seconds: 0.25 }],
    ["30", { seconds: 30 }],
    [" 1.5 ", { seconds: 1.5 }],
    ["Wed, 21 Oct 2026 07:28:00 GMT", { at: Date.UTC(2026, 9, 21, 7, 28) }],
    ["Wednesday, 21-Oct-26 07:28:00 GMT", { at: Date.UTC(2026, 9, 21, 7, 28) }],
    ["Wed Oct 21 07:28:00 2026", { at: Date.UTC(2026, 9, 21, 7, 28) }],
    ["Sat Oct  3 07:28:00 2026", { at: Date.UTC(2026, 9, 3, 7, 28) }],
    [0, null],
    [-5, null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    ["0", null],
    ["-5", null],
    ["1e9", null],
    ["0x10", null],
    ["NaN", null],
    ["", null],
    ["soon", null],
    ["12 seconds", { seconds: 12 }],
    ["Wed, 99 Oct 2026 07:28:00 GMT", null],
    ["2026-10-21T07:28:00Z", { at: Date.UTC(2026, 9, 21, 7, 28) }],
    [null, null],
  ])("%j is %j", (value, hint) => {
    expect(readRetryAfter(value)).toEqual(hint);
  });

  test("any value gives a positive finite wait, a real moment, or nothing", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.double(),
          fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
        ),
        (value) => {
          const hint = readRetryAfter(value);
          if (hint === null) return;
          if ("seconds" in hint) expect(Number.isFinite(hint.seconds) && hint.seconds > 0).toBe(true);
          else expect(Number.isFinite(new Date(hint.at).getTime())).toBe(true);
        },
      ),
    );
  });
});

describe("rules", () => {
  const rule = (code: number | string, message = "", random = 0) =>
    transitionFor(classify({ status: "fail", errorCode: code, errorMessage: message }), null, random);

  const disable = {
    rule: "disable",
    base_seconds: 300,
    breaker_most: 2,
    breaker_window_seconds: 60,
    breaker_quiet_seconds: 300,
  };

  test("each outcome falls under its rule, with the policy's numbers", () => {
    expect(transitionFor(classify({ status: "success" }), null, 0)).toEqual({ rule: "success" });
    expect(rule(429)).toEqual({
      rule: "escalate",
      base_seconds: 30,
      cap_seconds: 900,
      jitter: 0,
      reset_after_seconds: 86_400,
    });
    expect(rule(402)).toEqual({
      rule: "escalate",
      base_seconds: 600,
      cap_seconds: 86_400,
      jitter: 0,
      reset_after_seconds: 86_400,
    });
    expect(rule(403)).toEqual(disable);
    expect(rule(401)).toEqual({ rule: "cool", base_seconds: 300 });
    expect(rule(401, "expired")).toEqual(disable);
    expect(rule(503)).toEqual({ rule: "tolerate", base_seconds: 10, error_threshold: 2, window_seconds: 60 });
    for (const code of [408, 404, "banana"]) expect(rule(code)).toEqual({ rule: "ignore" });
    const as = (outcome: Outcome) => transitionFor({ outcome }, { seconds: 7 }, 0);
    expect(as("intermediary")).toEqual({ rule: "ignore" });
    expect(as("refused")).toEqual({
      rule: "cool",
      base_seconds: 300,
      hint_seconds: 7,
      hint_cap_seconds: 86_400,
    });
  });

  test("jitter is upward and at most a fifth", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (random) => {
        const { jitter } = rule(429, "", random);
        expect(jitter).toBeGreaterThanOrEqual(0);
        expect(jitter).toBeLessThan(POLICY.jitter);
      }),
    );
  });

  test("a hint goes along with its cap, and only where a hint counts", () => {
    const hinted = (code: number) =>
      transitionFor(classify({ status: "fail", errorCode: code }), { seconds: 7 }, 0);
    expect(hinted(429)).toMatchObject({ hint_seconds: 7, hint_cap_seconds: 86_400 });
    expect(hinted(503)).toMatchObject({ hint_seconds: 7, hint_cap_seconds: 60 });
    expect(hinted(403)).toEqual(disable);
    expect(hinted(404)).toEqual({ rule: "ignore" });
    expect(transitionFor(classify({ status: "fail", errorCode: 429 }), { at: 0 }, 0)).toMatchObject({
      hint_at: "1970-01-01T00:00:00.000Z",
    });
  });
});

describe("a report", () => {
  const told = { status: "fail", errorCode: 429, errorMessage: null, retryAfter: null } as const;
  const reportOf = readReport;

  test("comes to outcome, code, hint and rule", () => {
    expect(reportOf({ ...told, retryAfter: "7" }, 0.5)).toMatchObject({
      outcome: "rate_limited",
      error_code: "429",
      hint_given: true,
      rule: "escalate",
      hint_seconds: 7,
      jitter: 0.1,
    });
    expect(reportOf({ ...told, status: "success", errorCode: null }, 0)).toEqual({
      outcome: "success",
      rule: "success",
    });
  });

  test("says that a hint was sent though it cannot be read, and not when none was", () => {
    expect(reportOf({ ...told, retryAfter: "soon" }, 0)).toMatchObject({ hint_given: true });
    expect(reportOf({ ...told, retryAfter: "soon" }, 0)).not.toHaveProperty("hint_seconds");
    expect(reportOf(told, 0)).not.toHaveProperty("hint_given");
  });

  test("says what the answer is about, where it is about something", () => {
    const about = (errorCode: number, errorMessage: string) =>
      readReport({ ...told, errorCode, errorMessage }, 0);
    expect(
      about(429, "Rate limit reached for gpt-4o in organization org-1 on requests per min"),
    ).toMatchObject({
      scope: "model",
    });
    expect(about(429, "Organization rate limit exceeded")).toMatchObject({ scope: "account" });
    expect(about(402, "Insufficient Balance")).toMatchObject({ scope: "account" });
    expect(about(401, "Incorrect API key provided")).toMatchObject({ scope: "key", dead: true });
    expect(about(403, "")).toMatchObject({ scope: "key", rule: "disable" });
    expect(about(403, "")).not.toHaveProperty("dead");
    expect(about(404, "no such path")).toMatchObject({ scope: "request", rule: "ignore" });
    expect(about(503, "overloaded")).not.toHaveProperty("scope");
  });

  test("passes on the model and the other lease that the reporter gave", () => {
    const fields = { ...told, model: "gpt-4o", sameAnswerAs: "00000000-0000-4000-8000-000000000001" };
    expect(readReport(fields, 0)).toMatchObject({
      model: "gpt-4o",
      same_answer_as: "00000000-0000-4000-8000-000000000001",
    });
  });

  test("believes a large number of seconds beside a limit of hours only", () => {
    const hinted = (errorMessage: string) =>
      readReport({ ...told, errorMessage, retryAfter: 34_000 }, 0).hint_seconds;
    expect(hinted("Rate limit reached")).toBe(34);
    expect(hinted("You have reached your weekly usage limit")).toBe(34_000);
  });
});

describe("a limit of a day", () => {
  const limit = { outcome: "rate_limited", window: "day" } as const;
  test("that states no wait rests as long as money does; with a wait, as long as that", () => {
    expect(transitionFor(limit, null, 0)).toMatchObject({ base_seconds: 600, cap_seconds: 86_400 });
    expect(transitionFor({ ...limit, window: "minute" }, null, 0)).toMatchObject({ base_seconds: 30 });
    expect(transitionFor(limit, { seconds: 36 }, 0)).toMatchObject({ base_seconds: 30, hint_seconds: 36 });
  });

  test.each([
    ["UTC", "2026-11-26T05:00:00.500Z", "2026-11-27T00:00:00.000Z"],
    ["America/Los_Angeles", "2026-11-26T05:00:00.500Z", "2026-11-26T08:00:00.000Z"],
    ["America/Los_Angeles", "2026-07-01T12:00:00Z", "2026-07-02T07:00:00.000Z"],
    // The clocks go forward at 2 on 8 March 2026, and back at 2 on 1 November.
    ["America/Los_Angeles", "2026-03-08T09:30:00Z", "2026-03-09T07:00:00.000Z"],
    ["America/Los_Angeles", "2026-11-01T08:30:00Z", "2026-11-02T08:00:00.000Z"],
    // Exactly at a provider's midnight, the limit ends a day later.
    ["UTC", "2026-11-26T00:00:00Z", "2026-11-27T00:00:00.000Z"],
  ] as const)("ends at the provider's midnight in %s: after %s at %s", (dayOf, now, at) => {
    expect(transitionFor({ ...limit, dayOf }, null, 0, Date.parse(now))).toMatchObject({ hint_at: at });
  });

  test("of Gemini and Cloudflare is known as such", () => {
    const now = Date.parse("2026-11-26T05:00:00Z");
    const report = (errorMessage: string) =>
      readReport({ status: "fail", errorCode: 429, errorMessage, retryAfter: null }, 0, now);
    const day = JSON.stringify({
      error: {
        code: 429,
        details: [{ violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }] }],
      },
    });
    expect(report(day)).toMatchObject({ outcome: "rate_limited", hint_at: "2026-11-26T08:00:00.000Z" });
    const neurons = "you have used up your daily free allocation of 10,000 neurons";
    expect(report(neurons)).toMatchObject({
      outcome: "quota_exhausted",
      hint_at: "2026-11-27T00:00:00.000Z",
    });
  });
});
