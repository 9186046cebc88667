import { describe, expect, test } from "vitest";
import { verdict } from "../../support/answers.ts";

const said = (status: number | null, message: string, code = "") =>
  verdict(status, JSON.stringify({ error: { code, message } }));

describe("a 403 that says more than its name, and nothing of a key, disables nothing", () => {
  test.each([
    "Live mode only lets restricted tokens of this machine through, see the manual",
    "Have you signed in with our tool on this machine before?",
    "The subscription has been marked read only",
  ])("%s", (message) => {
    expect(said(403, message)).not.toMatch(/dead$/);
  });
  test.each(["Forbidden", "HTTP Error 403: Forbidden"])("%s is the bare refusal", (text) => {
    expect(verdict(403, text)).toBe("invalid_key dead");
  });
});

describe("what is said of the key itself comes before what the answer is called", () => {
  test.each([
    ["REQUEST_DENIED", "The provided API key is invalid.", "invalid_key dead"],
    ["INVALID_API_KEY", "API key not provided", "invalid_key"],
    ["UNAUTHORIZED", "no access token found", "invalid_key"],
    ["FORBIDDEN", "Access denied (IP restriction or account suspended)", "refused"],
    ["UNAUTHORIZED", "Invalid token audience", "refused"],
    ["invalid_authentication_error", "Invalid Authentication", "invalid_key"],
  ])("%s: %s", (code, message, wanted) => {
    for (const status of [401, 403]) expect(said(status, message, code)).toBe(wanted);
  });
});

describe("members by what their names end in", () => {
  test.each([
    "errorText",
    "error-text",
    "status_message",
    "detailMessage",
    "error_description",
    "returnReason",
  ])("%s", (name) => {
    expect(verdict(200, JSON.stringify({ error: { code: 9, [name]: "Not enough credits" } }))).toBe(
      "quota_exhausted",
    );
  });
  test("but nothing of what the request held", () => {
    const echo = { error: { code: 9, request: { message: "Invalid API key" } }, prompt: "Invalid API key" };
    expect(verdict(401, JSON.stringify(echo))).toBe("invalid_key");
  });
  test("an error's own name counts in any member", () => {
    expect(verdict(200, '{"status":0,"request":"ERROR_WRONG_USER_KEY"}')).toBe("invalid_key dead");
  });
});

describe("headers that a client writes before a body are passed over", () => {
  test("the body counts", () => {
    const text =
      "(403)\nReason: Forbidden\nHTTP response headers: HTTPHeaderDict({'x-error-message': 'Invalid API key'})\nHTTP response body: {\"message\":\"The project is paused\"}";
    expect(verdict(403, text)).toBe("refused");
  });
});

describe("words without a status", () => {
  test.each([
    ["You don't have permission to use this voice.", "refused"],
    ["Model is not available in your region.", "refused"],
    ["Your plan does not include this endpoint", "refused"],
    ["Prompt was blocked due to safety settings.", "caller_fault"],
    ["The model is still loading", "server_error"],
    ["API key expired", "invalid_key dead"],
    ["API: the request body is not valid JSON", "caller_fault"],
    ["API 키가 올바르지 않습니다", "invalid_key dead"],
    ["PermissionError: [Errno 13] Permission denied: '/output'", "unknown"],
    [
      "HttpRequestException: Response status code does not indicate success: 429 (Too Many Requests).",
      "rate_limited",
    ],
  ])("%s", (text, wanted) => {
    expect(verdict(text, text)).toBe(wanted);
  });
});
