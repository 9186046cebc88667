import type { Reader } from "../types.ts";
import { words } from "../words.ts";

/**
 * Gemini API and Vertex AI. Reasons: google.rpc.ErrorInfo; limits: google.rpc.QuotaFailure. Each of their 429s contains
 * OpenAI's sentence about an empty account.
 */
export const GOOGLE: Reader = {
  providers: words(`
    gemini | google | google-gemini | googleai | google-ai | vertex | vertexai | vertex-ai |
    vertex_ai | google-vertex
  `),
  rules: [
    {
      phrase: words(`
        prepayment credits are depleted | prepaid credits | monthly spending cap |
        exceeded its spending cap | spend cap
      `),
      outcome: "quota_exhausted",
      source: "ai.google.dev/gemini-api/docs/billing",
    },
    {
      code: words("insufficient_g1_credits_balance | billing_disabled | billing_not_active"),
      outcome: "quota_exhausted",
      source: "google/api/error_reason.proto, BILLING_DISABLED",
    },
    {
      phrase: words(`
        requires billing to be enabled | enable billing on project | billing account … is disabled |
        billing account for the owning project is disabled
      `),
      outcome: "quota_exhausted",
      source: "google/api/error_reason.proto, BILLING_DISABLED",
    },
    {
      code: words(`
        api_key_service_blocked | api_key_http_referrer_blocked | api_key_ip_address_blocked |
        api_key_android_app_blocked | api_key_ios_app_blocked | service_disabled |
        access_token_scope_insufficient | iam_permission_denied | access_token_type_unsupported |
        user_project_denied | location_policy_violated | security_policy_violated |
        resource_project_invalid | access_token_expired
      `),
      outcome: "refused",
      source: "google/api/error_reason.proto",
    },
    {
      phrase: words(`
        are blocked. … api_key | method doesn't allow unregistered callers |
        generative language api has not been used in project
      `),
      outcome: "refused",
      source: "google-gemini/gemini-cli issues; ai.google.dev troubleshooting",
    },
    {
      code: words("api_key_invalid | api_key_not_found"),
      outcome: "invalid_key",
      dead: true,
      source: "google/api/error_reason.proto, API_KEY_INVALID",
    },
    {
      phrase: words(`
        api key not valid. please pass a valid api key | api key expired. please renew the api key |
        api key not found. please pass a valid | api key was reported as leaked |
        consumer … has been suspended | api_key_invalid
      `),
      outcome: "invalid_key",
      dead: true,
      source: "ai.google.dev/gemini-api/docs/troubleshooting; google-gemini/gemini-cli#4690",
    },
    {
      code: words("consumer_suspended | account_state_invalid"),
      outcome: "invalid_key",
      dead: true,
      source: "google/api/error_reason.proto, CONSUMER_SUSPENDED, ACCOUNT_STATE_INVALID",
    },
    {
      code: ["credentials_missing"],
      outcome: "invalid_key",
      source: "google/api/error_reason.proto, CREDENTIALS_MISSING",
    },
    {
      phrase: ["request had invalid authentication credentials"],
      outcome: "invalid_key",
      source: "cloud.google.com/apis/design/errors: a token of OAuth, or a key where one is expected",
    },
    {
      phrase: ["user location is not supported"],
      outcome: "refused",
      source: "ai.google.dev/gemini-api/docs/troubleshooting: a 400 FAILED_PRECONDITION",
    },
    {
      phrase: ["this service has been disabled in this account for violation"],
      outcome: "refused",
      source: "google-gemini/gemini-cli issues: Google lifts it on request",
    },
    {
      phrase: words(`
        no capacity available for model | the model is overloaded |
        model is currently experiencing high demand
      `),
      outcome: "server_error",
      source: "ai.google.dev/gemini-api/docs/troubleshooting",
    },
    {
      phrase: ["quota exceeded for metric"],
      pattern: /quota exceeded for metric.{0,200}\blimit: 0(?![\d.])/,
      status: [0, 429],
      outcome: "quota_exhausted",
      source: "google-gemini issues: the plan does not include the model, so that no wait helps",
    },
    {
      phrase: words(`
        generativelanguage.googleapis.com/generate_ | ai.google.dev/gemini-api/docs/rate-limits |
        aiplatform.googleapis.com/generate_ | quotafailure | quota exceeded for metric |
        quota exceeded for quota metric | resource has been exhausted (e.g. check quota) |
        generate_content_free_tier | resource exhausted. please try again later |
        you have exhausted your capacity on this model
      `),
      status: [0, 429, 500, 503],
      outcome: "rate_limited",
      source: "google-gemini/gemini-cli#8437",
    },
  ],
  onlyThisProvider: [
    {
      status: [429],
      outcome: "rate_limited",
      source: "google-gemini/gemini-cli#8437: the sentence about billing stands in every 429",
    },
  ],
};
