import { describe, expect, test } from "vitest";
import { READERS } from "../../../packages/core/src/keys/answers/readers/index.ts";
import { INTERMEDIARIES } from "../../../packages/core/src/keys/answers/readers/intermediaries.ts";
import { classify } from "../../../packages/core/src/keys/index.ts";
import { verdict } from "../../support/answers.ts";

/** One body in the forms that callers have it in. */
const body = {
  error: {
    message: "Incorrect API key provided: sk-…",
    type: "invalid_request_error",
    param: null,
    code: "invalid_api_key",
  },
};
const python =
  "{'error': {'message': 'Incorrect API key provided: sk-…', 'type': 'invalid_request_error', 'param': None, 'code': 'invalid_api_key'}}";

describe("the same answer in every form", () => {
  test.each([
    ["the body", JSON.stringify(body)],
    ["the body, indented", JSON.stringify(body, null, 2)],
    ["the body, cut off", JSON.stringify(body).slice(0, -12)],
    ["the message alone", body.error.message],
    ["openai-python", `Error code: 401 - ${python}`],
    [
      "LiteLLM",
      `litellm.AuthenticationError: AuthenticationError: OpenAIException - ${JSON.stringify(body)}`,
    ],
    ["LangChain", `Error raised by inference API HTTP code: 401, ${JSON.stringify(body)}`],
    [
      "a body inside a message",
      JSON.stringify({ error: { message: JSON.stringify(body), code: 401, status: "Unauthorized" } }),
    ],
    [
      "a body inside a body inside a message",
      JSON.stringify({ message: `upstream: ${JSON.stringify({ message: JSON.stringify(body) })}` }),
    ],
    [
      "the AI SDK",
      JSON.stringify({
        name: "AI_APICallError",
        statusCode: 401,
        responseBody: JSON.stringify(body),
        requestBodyValues: { model: "x" },
      }),
    ],
    ["Java", `com.openai.errors.UnauthorizedException: 401: ${JSON.stringify(body)}`],
    ["Go", `POST "https://api": 401 Unauthorized ${JSON.stringify(body.error)}`],
  ])("%s", (_, text) => {
    expect(verdict(401, text)).toBe("invalid_key dead");
    expect(verdict("AuthenticationError", text)).toBe("invalid_key dead");
    expect(verdict(null, text)).toBe("invalid_key dead");
  });
});

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
    for (const provider of [null, "openai", "gemini", "anthropic", "xai"])
      expect(verdict(status, text, provider)).toBe("caller_fault");
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
    expect(verdict(401, text, "openrouter")).toBe("refused");
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

describe("the key's provider decides where words are shared", () => {
  const sentence = "You exceeded your current quota, please check your plan and billing details.";
  test("Google says OpenAI's sentence of an empty account for every limit", () => {
    expect(verdict(429, sentence, "openai")).toBe("quota_exhausted");
    expect(verdict(429, sentence, "gemini")).toBe("rate_limited");
    expect(verdict(429, sentence, null)).toBe("quota_exhausted");
  });
  test("Perplexity's ordinary 401 is a page", () => {
    const page = "<html><head><title>401 Authorization Required</title></head></html>";
    expect(verdict(401, page, "perplexity")).toBe("invalid_key");
    expect(verdict(401, page, "openai")).toBe("intermediary");
  });
  test("it is asked for only where it would change the verdict", () => {
    const asks = (errorCode: number, errorMessage: string, provider?: string | null) =>
      classify({ status: "fail", errorCode, errorMessage }, provider).asksProvider;
    expect(asks(429, sentence)).toBe(true);
    expect(asks(429, sentence, null)).toBe(false);
    expect(asks(429, "Rate limit reached")).toBe(false);
    expect(asks(500, sentence)).toBe(false);
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
    // A body that speaks of nothing else is about the key; an SDK's word that there was none is no body.
    ["{}", "invalid_key dead"],
    ['{"message":"Forbidden"}', "invalid_key dead"],
    ['{"error":{"message":"Authorization failed"}}', "refused"],
    ["Request failed with status code 403", "invalid_key dead"],
    ["HTTP POST https://api.example/v2/models failed with status code 403", "invalid_key dead"],
    ['{"error":{"type":"forbidden","message":"Request not allowed"}}', "refused"],
    ['{"error":"not from this country"}', "refused"],
    ['{"detail":"IP-адрес не в белом списке"}', "refused"],
    // What somebody may lift without a new key.
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
    // A 403 that is no more than near such a word disables nothing.
    ["Error on line 403", "refused"],
    ["the server responded with a status of 403 (Forbidden)", "refused"],
    ["stopped after 500 tokens", "unknown"],
    ["status of job 500 items", "unknown"],
  ])("%s: %s", (text, wanted) => {
    expect(verdict(null, text)).toBe(wanted);
  });
});

describe("a body that a log has cut off", () => {
  test.each([
    ['Brave API error (HTTP 422): {"error":{"code":"SUBSCRIPTION_TOKEN_INVA...', 422, "invalid_key"],
    ['{"error":{"code":"API_KEY_EXPI…', 400, "invalid_key"],
    ['{"error":{"code":"API_KEY_IN...', 400, "caller_fault"],
    ['{"error":{"code":"CREDITS_EXHA...', 400, "quota_exhausted"],
  ])("%s", (text, status, wanted) => {
    expect(verdict(status, text)).toBe(wanted);
  });
});

describe("numbers alone are one provider's", () => {
  test.each([
    ["zhipu", '{"error":{"code":"1002","message":"…"}}', "invalid_key dead"],
    ["zhipu", '{"code":1002,"msg":"…"}', "invalid_key dead"],
    ["siliconflow", '{"code":30001,"message":"…"}', "quota_exhausted"],
  ])("%s: %s", (provider, text, wanted) => {
    expect(verdict(400, text, provider)).toBe(wanted);
    for (const other of ["openai", "unheard-of", null])
      expect(verdict(400, text, other)).toBe("caller_fault");
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
    for (const provider of [null, "openai", "volcengine"])
      expect(verdict(status, text, provider)).toBe("caller_fault");
  });
});

test("a page inside a client's own body is no provider's", () => {
  const message = "403 <html>\n <head>\n <style global>body{}</style></head></html>";
  expect(verdict(403, `<pre>${JSON.stringify({ status: 403, name: "Error", message })}`)).toBe(
    "intermediary",
  );
});

test("every rule of a reader and of what is in between has a code or a phrase, by which it is passed over", () => {
  const rules = [...READERS.flatMap((reader) => reader.rules), ...INTERMEDIARIES];
  expect(rules.filter(({ code, phrase }) => code === undefined && phrase === undefined)).toEqual([]);
});

describe("one fact in every spelling of an identifier", () => {
  const spellings = (words: string[]) => [
    words.join("_"),
    words.join("-"),
    words.join("."),
    words.join("_").toUpperCase(),
    words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join(""),
    words.map((word, n) => (n === 0 ? word : word[0]?.toUpperCase() + word.slice(1))).join(""),
    `https://api.example/errors#${words.join("-")}`,
  ];
  test.each([
    [429, "out of credits", "quota_exhausted"],
    [429, "project spend limit exceeded", "quota_exhausted"],
    [400, "billing balance not enough", "quota_exhausted"],
    [401, "api key expired", "invalid_key dead"],
    [400, "invalid api key", "invalid_key dead"],
    [403, "rate limit exceeded", "rate_limited"],
    [401, "access denied", "refused"],
    [401, "signature expired", "refused"],
    [200, "no slot available", "server_error"],
  ])("%i %s: %s", (status, words, wanted) => {
    for (const code of spellings(words.split(" "))) {
      expect(verdict(status, JSON.stringify({ error: { code, message: "…" } })), code).toBe(wanted);
      expect(
        verdict(status, JSON.stringify({ Response: { Error: { Code: code, Message: "…" } } })),
        code,
      ).toBe(wanted);
    }
  });
});

describe("XML and SOAP", () => {
  test.each([
    [403, "<Error><Code>InvalidAccessKeyId</Code><Message>…</Message></Error>", "invalid_key dead"],
    [
      400,
      "<ErrorResponse><Error><Code>Throttling</Code><Message>…</Message></Error></ErrorResponse>",
      "rate_limited",
    ],
    [
      500,
      '<?xml version="1.0"?><soap:Envelope xmlns:soap="x"><soap:Body><soap:Fault><faultcode>Client</faultcode><faultstring>QuotaExhausted</faultstring></soap:Fault></soap:Body></soap:Envelope>',
      "server_error",
    ],
    [
      200,
      "<response><header><resultMsg>SERVICE KEY IS NOT REGISTERED ERROR.</resultMsg></header></response>",
      "invalid_key dead",
    ],
  ])("%i %s", (status, text, wanted) => {
    expect(verdict(status, `${text.startsWith("<?") ? "" : '<?xml version="1.0"?>'}${text}`)).toBe(wanted);
  });
});

describe("the languages of providers", () => {
  test.each([
    ["密钥无效", "余额不足", "请求过于频繁"],
    ["APIキーが無効です", "クレジットが不足しています", "リクエストが多すぎます"],
    ["유효하지 않은 API 키입니다", "잔액이 부족합니다", "요청이 너무 많습니다"],
    ["Ключ API недействителен", "Недостаточно средств на балансе", "Слишком много запросов"],
    ["Der API-Schlüssel ist ungültig", "Ihr Guthaben ist aufgebraucht", "Zu viele Anfragen"],
    ["La clé API est invalide", "Crédits insuffisants", "Trop de requêtes"],
    ["La clave de API es inválida", "Saldo insuficiente", "Demasiadas solicitudes"],
    ["Chave de API inválida", "Créditos esgotados", "Muitas solicitações"],
  ])("%s, %s, %s", (dead, money, pace) => {
    const said = (message: string) => verdict(401, JSON.stringify({ error: { message } }));
    expect([said(dead), said(money), said(pace)]).toEqual([
      "invalid_key dead",
      "quota_exhausted",
      "rate_limited",
    ]);
  });
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
    for (const provider of [null, "openai", "zhipu", "aws"])
      expect(verdict(status, text, provider)).not.toMatch(/dead$/);
  });
});

describe("statuses by name", () => {
  test.each([
    ["Too Many Requests", null, "rate_limited"],
    ["Payment Required", null, "quota_exhausted"],
    ["Service Unavailable", null, "server_error"],
    [500, "ClientError: 400 INVALID_ARGUMENT role", "caller_fault"],
    [420, "Enhance your calm", "rate_limited"],
  ])("%j %j: %s", (code, text, wanted) => {
    expect(verdict(code, text)).toBe(wanted);
  });
});
