import { describe, expect, test } from "vitest";
import { classify, readWait } from "../../../packages/core/src/keys/index.ts";

const read = (errorCode: number | string | null, errorMessage: string) =>
  classify({ status: "fail", errorCode, errorMessage });
const error = (message: string, type?: string) => JSON.stringify({ error: { message, type } });

describe("a refusal of what the request says is the caller's", () => {
  test.each([
    [
      403,
      "Content violates usage guidelines. Team: …, API key ID: …, Model: grok-4, Failed check: SAFETY_CHECK_TYPE_CSAM",
    ],
    [403, "I can't help with that request."],
    [403, error("Your prompt was flagged by our moderation")],
    [
      401,
      error("OpenAI-Organization header should match organization for API key", "mismatched_organization"),
    ],
    [401, error("No such organization: org-<id>.", "invalid_request_error")],
    [400, error("No such project: proj_<id>", "mismatched_project")],
  ])("%s %s", (status, body) => {
    expect(read(status, body)).toMatchObject({ outcome: "caller_fault", scope: "request" });
  });
});

describe("a refusal that is not about the key leaves it", () => {
  test.each([
    [403, '{"error":{"type":"server_error"}}', "server_error"],
    [403, error("bedrock error: User is not authorized to perform this operation"), "refused"],
    [401, error("openai error: Incorrect API key provided"), "refused"],
    [
      401,
      '{"error":{"message":"Provider returned error","code":401,"metadata":{"raw":"invalid key"}}}',
      "refused",
    ],
    [401, "Access denied. Please make sure your API key is valid.", "refused"],
    [403, "Third-party apps now draw from your extra usage, not your plan limits.", "quota_exhausted"],
    [403, error("You've reached your weekly (7-day) usage limit."), "quota_exhausted"],
    [401, '{"errors":[{"code":2009,"message":"Unauthorized"}]}', "rate_limited"],
  ])("%s %s: %s", (status, body, outcome) => {
    expect(read(status, body)).toMatchObject({ outcome, disables: false });
  });

  test("a model that the key may not use stops that model", () => {
    const body = error("You are not allowed to sample from this model");
    expect(read(403, body)).toMatchObject({ outcome: "refused", scope: "model" });
  });
});

test("a body with a tag in its message is no page", () => {
  const body = error("<p>Rate limit reached, try again in 20s</p>");
  expect(read(429, body).outcome).toBe("rate_limited");
});

describe("whose limit it is, and its period", () => {
  test.each([
    ["Rate limit reached for gpt-4o in organization org-<id> on tokens per min (TPM)", "model", "minute"],
    ["This request would exceed your account's rate limit", "account", undefined],
    ["Rate limit exceeded for this API key: 100 requests per day", "key", "day"],
    ["Rate limit exceeded: free-models-per-day", "account", "day"],
    ["Too many requests", "model", undefined],
  ])("%s: %s, %s", (message, scope, window) => {
    expect(read(429, error(message))).toMatchObject({ outcome: "rate_limited", scope });
    expect(read(429, error(message)).window).toBe(window);
  });

  test("money is the account's, a key's own budget the key's", () => {
    expect(
      read(429, error("You exceeded your current quota, please check your plan and billing details")),
    ).toMatchObject({
      outcome: "quota_exhausted",
      scope: "account",
    });
    expect(read(403, error("Key limit exceeded (total limit)"))).toMatchObject({
      outcome: "quota_exhausted",
      scope: "key",
    });
  });

  test.each([
    ["quota exceeded", "America/Los_Angeles", "GenerateRequestsPerDayPerProjectPerModel-FreeTier"],
    ["you have used up your daily free allocation of 10,000 neurons", "UTC"],
    ["Too many requests per day", undefined],
  ])("%s ends at midnight of %s", (message, zone, quota?: string) => {
    const { window, dayOf } = read(429, error(message, quota));
    expect([window, dayOf]).toEqual(["day", zone]);
  });
});

describe("waits", () => {
  test("LiteLLM's sentence has its unit", () => {
    const { hint } = readWait(null, "No deployments available for selected model, Try again in 60 seconds.");
    expect(hint).toEqual({ seconds: 60 });
  });

  test("Z.AI writes the time of Beijing, whatever the language", () => {
    const at = Date.parse("2030-01-02T08:00:00Z");
    expect(readWait(null, "您的限额将在 2030-01-02 16:00:00 重置").hint).toEqual({ at });
    expect(readWait(null, "Your limit will reset at 2030-01-02 16:00:00").hint).toEqual({ at });
  });
});
