/** The providers whose error bodies the demo's provider imitates. */
export type Provider = "openai" | "anthropic" | "gemini";

export interface ProviderAnswer {
  status: number;
  headers?: Record<string, string>;
  body: string;
}

/** Error answers of a provider, in the shapes of its documentation and of public issues. `wait` is in whole seconds. */
export interface ProviderErrors {
  limited(wait: number): ProviderAnswer;
  revoked(): ProviderAnswer;
  unknown(): ProviderAnswer;
  fault(): ProviderAnswer;
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}): ProviderAnswer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

/** The wait is only in the text. */
const openaiError = (status: number, message: string, type: string, code: string | null) =>
  json(status, { error: { message, type, param: null, code } });
const openai: ProviderErrors = {
  limited: (wait) =>
    openaiError(
      429,
      `Rate limit reached for gpt-5-mini in organization org-demo on requests per min (RPM): Limit 8, Used 8, Requested 1. Please try again in ${wait}.2s. Visit https://platform.openai.com/account/rate-limits to learn more.`,
      "requests",
      "rate_limit_exceeded",
    ),
  revoked: () =>
    openaiError(
      401,
      "Incorrect API key provided: sk-d****. You can find your API key at https://platform.openai.com/account/api-keys.",
      "invalid_request_error",
      "invalid_api_key",
    ),
  unknown: () => openai.revoked(),
  fault: () =>
    openaiError(
      500,
      "The server had an error while processing your request. Sorry about that!",
      "server_error",
      null,
    ),
};

/** The wait is in a header. */
const anthropicError = (
  status: number,
  type: string,
  message: string,
  headers: Record<string, string> = {},
) => json(status, { type: "error", error: { type, message }, request_id: "req_demo" }, headers);
const anthropic: ProviderErrors = {
  limited: (wait) =>
    anthropicError(
      429,
      "rate_limit_error",
      "This request would exceed your organization's rate limit of 50 requests per minute. For details, refer to: https://docs.claude.com/en/api/rate-limits",
      { "retry-after": String(wait) },
    ),
  revoked: () => anthropicError(401, "authentication_error", "invalid x-api-key"),
  unknown: () => anthropic.revoked(),
  fault: () => anthropicError(529, "overloaded_error", "Overloaded"),
};

/** The wait is in a detail, and an ordinary rate limit mentions quota and billing. */
const geminiError = (code: number, status: string, message: string, details: unknown[] = []) =>
  json(code, { error: { code, message, status, ...(details.length > 0 && { details }) } });
const gemini: ProviderErrors = {
  limited: (wait) =>
    geminiError(
      429,
      "RESOURCE_EXHAUSTED",
      `You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits. Please retry in ${wait}s.`,
      [
        {
          "@type": "type.googleapis.com/google.rpc.QuotaFailure",
          violations: [
            {
              quotaMetric: "generativelanguage.googleapis.com/generate_content_free_tier_requests",
              quotaId: "GenerateRequestsPerMinutePerProjectPerModel-FreeTier",
              quotaDimensions: { location: "global", model: "gemini-3-flash" },
              quotaValue: "10",
            },
          ],
        },
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${wait}s` },
      ],
    ),
  revoked: () =>
    geminiError(403, "PERMISSION_DENIED", "Your API key was reported as leaked. Please use another API key."),
  unknown: () =>
    geminiError(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "API_KEY_INVALID",
        domain: "googleapis.com",
      },
    ]),
  fault: () => geminiError(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
};

export const providerErrors: Record<Provider, ProviderErrors> = { openai, anthropic, gemini };

/** The page of a proxy that answers instead of the provider: it says nothing about the key. */
export const proxyPages: [ProviderAnswer, ProviderAnswer] = [
  {
    status: 403,
    headers: { "content-type": "text/html; charset=UTF-8", server: "cloudflare" },
    body: `<!DOCTYPE html>
<html lang="en-US"><head><title>Attention Required! | Cloudflare</title></head>
<body><h1>Sorry, you have been blocked</h1><h2>You are unable to access this site</h2></body></html>`,
  },
  {
    status: 502,
    headers: { "content-type": "text/html", server: "nginx" },
    body: `<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`,
  },
];
