/** The providers whose errors the demo's provider imitates. */
export type Imitated = "openai" | "anthropic" | "gemini";

export interface ProviderAnswer {
  status: number;
  headers?: Record<string, string>;
  body: string;
}

type Failure = "limited" | "revoked" | "fault" | "refused";

/**
 * The errors of each provider (status and body), in the shapes of the providers' documentation and of public issues. `{wait}` is replaced
 * by the wait in whole seconds. OpenAI states the wait only in the text, Anthropic in a header, and Gemini in a detail; Gemini's ordinary
 * rate limit also mentions quota and billing.
 */
const failures: Record<Imitated, Record<Failure, string>> = {
  openai: {
    limited: `429 {"error":{"message":"Rate limit reached for gpt-5-mini in organization org-demo on requests per min (RPM): Limit 8, Used 8, Requested 1. Please try again in {wait}.2s. Visit https://platform.openai.com/account/rate-limits to learn more.","type":"requests","param":null,"code":"rate_limit_exceeded"}}`,
    revoked: `401 {"error":{"message":"Incorrect API key provided: sk-d****. You can find your API key at https://platform.openai.com/account/api-keys.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`,
    refused: `400 {"error":{"message":"Your request was rejected by the safety system.","type":"invalid_request_error","param":null,"code":"content_policy_violation"}}`,
    fault: `500 {"error":{"message":"The server had an error while processing your request. Sorry about that!","type":"server_error","param":null,"code":null}}`,
  },
  anthropic: {
    limited: `429 {"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit of 50 requests per minute. For details, refer to: https://docs.claude.com/en/api/rate-limits"},"request_id":"req_demo"}`,
    revoked: `401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"req_demo"}`,
    refused: `400 {"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"},"request_id":"req_demo"}`,
    fault: `529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_demo"}`,
  },
  gemini: {
    limited: `429 {"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits. Please retry in {wait}s.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"{wait}s"}]}}`,
    revoked: `403 {"error":{"code":403,"message":"Your API key was reported as leaked. Please use another API key.","status":"PERMISSION_DENIED"}}`,
    refused: `400 {"error":{"code":400,"message":"The prompt was blocked by the safety filters.","status":"INVALID_ARGUMENT"}}`,
    fault: `503 {"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}`,
  },
};

/** Returns an error answer of a provider. `wait` is in whole seconds. */
export function errorOf(provider: Imitated, failure: Failure, wait = 0): ProviderAnswer {
  const text = failures[provider][failure].replaceAll("{wait}", String(wait));
  const inHeader = provider === "anthropic" && failure === "limited";
  return read(text, "application/json", inHeader ? { "retry-after": String(wait) } : {});
}

/**
 * The page of a proxy that answers in place of the provider. Its status would disable a key, although the page says nothing about the key,
 * so the service must recognize the page.
 */
export const proxyPage = read(
  '403 <!DOCTYPE html>\n<html lang="en-US"><head><title>Attention Required! | Cloudflare</title></head>\n<body><h1>Sorry, you have been blocked</h1><h2>You are unable to access this site</h2></body></html>',
  "text/html; charset=UTF-8",
  { server: "cloudflare" },
);

function read(text: string, type: string, headers: Record<string, string>): ProviderAnswer {
  return {
    status: Number(text.slice(0, 3)),
    headers: { "content-type": type, ...headers },
    body: text.slice(4),
  };
}
