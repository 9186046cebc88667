import { describe, expect, test } from "vitest";
import { verdict } from "../../support/answers.ts";

/** One body in the forms in which callers get it. */
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

describe("the words of XML and SOAP", () => {
  test.each([
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

describe("statuses by name", () => {
  test.each([
    ["Too Many Requests", null, "rate_limited"],
    ["Payment Required", null, "quota_exhausted"],
    ["Service Unavailable", null, "server_error"],
    [420, "Enhance your calm", "rate_limited"],
  ])("%j %j: %s", (code, text, wanted) => {
    expect(verdict(code, text)).toBe(wanted);
  });
});
