import { describe, expect, test } from "vitest";
import { ENTRIES } from "../../../packages/core/src/provider-errors/table.ts";
import { verdict } from "../../support/answers.ts";

describe("what a body repeats of the request is no news of the key", () => {
  const dead = JSON.stringify({ error: { code: "invalid_api_key", message: "Incorrect API key provided" } });
  test.each([
    [
      "input of a validation error",
      422,
      {
        detail: [
          {
            type: "missing",
            loc: ["body", "model"],
            msg: "Field required",
            input: { messages: [{ role: "user", content: dead }] },
          },
        ],
      },
    ],
    [
      "requestBodyValues of an SDK",
      400,
      {
        name: "AI_APICallError",
        statusCode: 400,
        requestBodyValues: { messages: [{ content: dead }] },
        responseBody: '{"error":{"message":"model is required"}}',
      },
    ],
    [
      "a prompt at the end of a message",
      400,
      {
        error: {
          message: `${"Invalid value for messages[0].content. ".repeat(8)} api key revoked`,
          type: "invalid_request_error",
        },
      },
    ],
  ])("%s", (_, status, value) => {
    expect(verdict(status, JSON.stringify(value))).toBe("caller_fault");
  });

  const role = "Incorrect API key provided";
  test.each([
    [
      400,
      `{"error":{"message":"Invalid value: '${role}'. Supported values are: 'system'.","code":"invalid_value"}}`,
    ],
    [400, `Error code: 400 - {'error': {'message': "Invalid value: '${role}'.", 'code': 'invalid_value'}}`],
    [400, `400 Invalid value: '${role}'. Supported values are: 'system'.`],
    [404, `{"error":{"message":"The model \`${role}\` does not exist","code":"model_not_found"}}`],
    [
      400,
      `{"error":{"message":"Invalid value at 'contents[0].role', \\"API key not valid. Please pass a valid API key.\\""}}`,
    ],
    [422, `Failed to deserialize: unknown variant "Insufficient Balance", expected one of`],
    [400, `{"error":{"message":"Failed to download image from https://x.example/insufficient_quota.png"}}`],
    [400, `{"error":{"message":"Cannot fetch content from the provided URL: Invalid API key"}}`],
    [
      400,
      `{"error":{"message":"Invalid value: '{\\"error\\":{\\"code\\":\\"invalid_api_key\\"}}'.","code":"invalid_value"}}`,
    ],
    [400, `Invalid value: '{"error":{"code":"invalid_api_key"}}'.`],
  ])("%i %s", (status, text) => {
    expect(verdict(status, text)).toBe("caller_fault");
  });

  test("but a message that an SDK renders in quotes is the provider's", () => {
    expect(
      verdict(400, '400 invalid_request_error "Your credit balance is too low to access the API."'),
    ).toBe("quota_exhausted");
    expect(verdict(400, 'HTTP 400 "API key expired. Please renew the API key."')).toBe("invalid_key dead");
  });

  test("what an upstream says of its own key is not OpenRouter's", () => {
    const raw = JSON.stringify({ error: { type: "authentication_error", message: "invalid x-api-key" } });
    const text = JSON.stringify({
      error: { message: "Provider returned error", code: 401, metadata: { raw } },
    });
    expect(verdict(401, text)).toBe("refused");
  });

  test("errors of the caller's own files are none of the provider's", () => {
    expect(verdict("PermissionError", "[Errno 13] Permission denied: '/var/cache/x'")).toBe("unknown");
    expect(verdict("permission_error", "not permitted for this key")).toBe("refused");
  });
});

describe("what stands in between says nothing of the key", () => {
  test.each([
    [403, "<html><head><title>403 Forbidden</title></head><body>squid</body></html>"],
    [401, "<!DOCTYPE html><title>Sign in</title>"],
    [429, "<html><body>error 1015</body></html>"],
    [200, "<html><body>Welcome to the guest network</body></html>"],
    [503, "upstream connect error or disconnect/reset before headers. reset reason: overflow"],
    [403, "RBAC: access denied"],
    [403, "error code: 1020"],
    [407, "Proxy Authentication Required"],
    [403, '{"message":"Missing Authentication Token"}'],
  ])("%i %s", (status, text) => {
    expect(verdict(status, text)).toBe("intermediary");
  });
});

describe("a 403", () => {
  test.each([
    [null, "invalid_key dead"],
    ["key is blocked", "invalid_key dead"],
    ['{"error":{"message":"You do not have access to this model"}}', "refused"],
    ['{"error":{"message":"Your IP address is not on the list"}}', "refused"],
    ['{"error":{"message":"flagged by moderation"}}', "caller_fault"],
    ['{"error":{"message":"Your account balance is insufficient"}}', "quota_exhausted"],
    ["Invalid API key or you do not have access to this resource", "refused"],
    // A body that names no other cause is about the key. An SDK's note that there was no body counts as no body.
    ["{}", "invalid_key dead"],
    ['{"message":"Forbidden"}', "invalid_key dead"],
    ['{"error":{"message":"Authorization failed"}}', "refused"],
    ["Request failed with status code 403", "invalid_key dead"],
    ["HTTP POST https://api.example/v2/models failed with status code 403", "invalid_key dead"],
    ['{"error":{"type":"forbidden","message":"Request not allowed"}}', "refused"],
    ['{"error":"not from this country"}', "refused"],
    ['{"detail":"IP-адрес не в белом списке"}', "refused"],
    // Blocks that somebody can lift without a new key.
    ['{"detail":"User is locked. Reason: Admin lock. Please contact support@x.example"}', "refused"],
    ['{"detail":"User is locked. Reason: TOP_UP."}', "quota_exhausted"],
    ["This service has been disabled in this account for violation of Terms of Service.", "refused"],
    ["Your account has been suspended. Please contact our support team.", "refused"],
    ["Verify your account to continue.", "refused"],
    ["Your account has been suspended", "invalid_key dead"],
    ["API key has been revoked. Contact support@x.example for a new one.", "invalid_key dead"],
    ["This organization has been disabled.", "refused"],
    ['{"error":{"message":"No ownership"}}', "refused"],
    ['{"code":"SignUpRequired","message":"…"}', "refused"],
    ["403 status code (no body)", "invalid_key dead"],
  ])("%s: %s", (text, wanted) => {
    expect(verdict(403, text)).toBe(wanted);
  });
});

describe("what a body passes on of a status", () => {
  test.each([
    ['{"detail":"400: concepts are not supported for this model"}', "caller_fault"],
    ["Handshake status 401 None", "invalid_key"],
    ["the server responded with a status of 429 ()", "rate_limited"],
    ['{"message":"[models] Error: API request failed with status code 401"}', "invalid_key"],
    ["org.x.NonTransientAiException: 400 - Bad Request", "caller_fault"],
    // A number 403 that is only near a word such as "error" or "status" disables nothing.
    ["Error on line 403", "refused"],
    ["the server responded with a status of 403 (Forbidden)", "refused"],
    ["stopped after 500 tokens", "unknown"],
    ["status of job 500 items", "unknown"],
  ])("%s: %s", (text, wanted) => {
    expect(verdict(null, text)).toBe(wanted);
  });
});

describe("a request about a model is the caller's", () => {
  test.each([
    [400, "Invalid model 'x'. Permitted models can be found in the documentation"],
    [
      404,
      '{"error":{"code":"model_not_found","message":"The model `x` does not exist or you do not have access to it."}}',
    ],
    [
      404,
      '{"code":"InvalidEndpointOrModel.NotFound","message":"The model or endpoint x does not exist or you do not have access to it."}',
    ],
    [
      null,
      'Request Failed: 400 {"error":{"message":"Model is not supported for this request.","code":"model_not_supported"}}',
    ],
  ])("%s %s", (status, text) => {
    expect(verdict(status, text)).toBe("caller_fault");
  });
});

test("a page inside a client's own body is no provider's", () => {
  const message = "403 <html>\n <head>\n <style global>body{}</style></head></html>";
  expect(verdict(403, `<pre>${JSON.stringify({ status: 403, name: "Error", message })}`)).toBe(
    "intermediary",
  );
});

test("every entry of the table has its own id, a source, and something by which it is found", () => {
  expect(new Set(ENTRIES.map(({ id }) => id)).size).toBe(ENTRIES.length);
  expect(ENTRIES.filter(({ source }) => !/\S/.test(source))).toEqual([]);
  expect(ENTRIES.filter(({ codes, names, phrases }) => !codes && !names && !phrases)).toEqual([]);
});

describe("what leaves open whether this very key is dead disables nothing", () => {
  test.each([
    [401, "The API key is missing or invalid"],
    [401, "Unauthorized: missing or invalid API key"],
    [401, "invalid or missing credential"],
    [401, "Invalid signature"],
    [401, "Your API key is temporarily disabled"],
    [403, "API token is wrong or you have exceeded the API credits limit."],
    [403, "Account is blocked or the current package does not support the feature."],
    [401, "Invalid client ip 1.2.3.4, rejected by api key ip allowlist setting."],
    [403, "The account is blocked for token plan."],
    [401, '{"error":{"message":"API key reached its usage limit.","code":"invalid_api_key"}}'],
    [400, "Unknown parameter: api_key"],
  ])("%i %s", (status, text) => {
    expect(verdict(status, text)).not.toMatch(/dead$/);
  });
});
