export const openaiError = (message: string, type: string, code: string | null = null) =>
  JSON.stringify({ error: { message, type, param: null, code } });
export const anthropicError = (type: string, message: string) =>
  JSON.stringify({ type: "error", error: { type, message } });
export const geminiError = (code: number, status: string, message: string, details: unknown[] = []) =>
  JSON.stringify({ error: { code, message, status, details } });

/** The same answers in the format of each provider. */
const says: Record<
  string,
  Record<"limit" | "money" | "dead" | "denied" | "broken", { status: number; body: string }>
> = {
  openai: {
    limit: {
      status: 429,
      body: openaiError(
        "Rate limit reached for gpt. Please try again in 20s.",
        "requests",
        "rate_limit_exceeded",
      ),
    },
    money: {
      status: 429,
      body: openaiError(
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
        "insufficient_quota",
      ),
    },
    dead: {
      status: 401,
      body: openaiError("Incorrect API key provided: sk-x.", "invalid_request_error", "invalid_api_key"),
    },
    denied: {
      status: 403,
      body: openaiError(
        "The OpenAI account associated with this API key has been deactivated.",
        "invalid_request_error",
        "account_deactivated",
      ),
    },
    broken: { status: 500, body: openaiError("The server had an error.", "server_error") },
  },
  anthropic: {
    limit: {
      status: 429,
      body: anthropicError("rate_limit_error", "This request would exceed your rate limit."),
    },
    money: {
      status: 400,
      body: anthropicError(
        "invalid_request_error",
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
      ),
    },
    dead: { status: 401, body: anthropicError("authentication_error", "invalid x-api-key") },
    denied: { status: 403, body: anthropicError("authentication_error", "This API key has been revoked.") },
    broken: { status: 500, body: anthropicError("api_error", "Internal server error") },
  },
  gemini: {
    limit: {
      status: 429,
      body: geminiError(429, "RESOURCE_EXHAUSTED", "Resource exhausted. Please retry in 20s."),
    },
    money: { status: 402, body: geminiError(402, "PAYMENT_REQUIRED", "Payment required.") },
    dead: {
      status: 400,
      body: geminiError(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
        {
          "@type": "type.googleapis.com/google.rpc.ErrorInfo",
          reason: "API_KEY_INVALID",
          domain: "googleapis.com",
        },
      ]),
    },
    denied: {
      status: 403,
      body: geminiError(
        403,
        "PERMISSION_DENIED",
        "Your API key was reported as leaked. Please use another API key.",
      ),
    },
    broken: { status: 500, body: geminiError(500, "INTERNAL", "An internal error has occurred.") },
  },
};

export function saysOf(provider: string) {
  const answers = says[provider];
  if (answers === undefined) throw new Error(`what does ${provider} say?`);
  return answers;
}
