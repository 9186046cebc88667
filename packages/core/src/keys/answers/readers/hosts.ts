import type { Reader } from "../types.ts";
import { words } from "../words.ts";

/** Mistral. */
export const MISTRAL: Reader = {
  providers: words("mistral | mistralai"),
  rules: [
    {
      phrase: ["service tier capacity exceeded"],
      outcome: "rate_limited",
      source: "mistralai/client-python issues: a 429 with code 3505",
    },
    {
      code: ["service_tier_capacity_exceeded"],
      outcome: "rate_limited",
      source: "docs.mistral.ai",
    },
    {
      phrase: ["inactive subscription or usage limit reached"],
      outcome: "quota_exhausted",
      source: "mistralai issues: a 401 or 402",
    },
  ],
};

/** Cohere. */
export const COHERE: Reader = {
  providers: ["cohere"],
  rules: [
    {
      phrase: ["limited to 1000 api calls / month"],
      outcome: "quota_exhausted",
      source: "docs.cohere.com/reference/errors: the month of a trial key",
    },
    {
      phrase: words(`
        you are using a trial key | trial token rate limit exceeded | please wait and try again later
      `),
      status: [429],
      outcome: "rate_limited",
      source: "docs.cohere.com/reference/errors",
    },
    {
      code: ["too_many_tokens"],
      status: [0, 400, 422, 500, 502],
      outcome: "caller_fault",
      source: "docs.cohere.com/reference/errors; LiteLLM's proxies pass it on",
    },
    {
      phrase: words("billing cap reached | reached your billing limit | billing limit"),
      outcome: "quota_exhausted",
      source: "docs.cohere.com/reference/errors: a 402",
    },
  ],
};

/** Groq. */
export const GROQ: Reader = {
  providers: ["groq"],
  rules: [
    {
      phrase: words(`
        spend alert threshold | spend limit reached | blocked_api_access | blocked api access
      `),
      outcome: "quota_exhausted",
      source: "community.groq.com",
    },
    {
      code: ["organization_restricted"],
      outcome: "refused",
      source: "groq: organization_restricted, a 400",
    },
    {
      phrase: ["organization has been restricted"],
      outcome: "refused",
      source: "community.groq.com",
    },
  ],
};

/** Hugging Face. */
export const HUGGING_FACE: Reader = {
  providers: words("huggingface | hugging-face | hf"),
  rules: [
    {
      phrase: words(`
        exceeded your monthly included credits | monthly included credits | purchase pre-paid credits
      `),
      outcome: "quota_exhausted",
      source: "huggingface_hub issues: a 402",
    },
    {
      phrase: words(`
        does not have sufficient permissions to call inference providers | gated repo |
        access to model … is restricted
      `),
      outcome: "refused",
      source: "huggingface_hub issues",
    },
    {
      phrase: words(`
        invalid username or password | invalid credentials in authorization header |
        user access token … is expired
      `),
      outcome: "invalid_key",
      dead: true,
      source: "huggingface_hub issues: 401",
    },
    {
      phrase: ["is currently loading"],
      outcome: "server_error",
      source: "huggingface inference api: 503",
    },
  ],
};

/** DeepSeek. */
export const DEEPSEEK: Reader = {
  providers: ["deepseek"],
  rules: [
    {
      phrase: ["insufficient balance"],
      outcome: "quota_exhausted",
      source: "api-docs.deepseek.com/quick_start/error_codes: 402",
    },
    {
      phrase: words("authentication fails, your api key … is invalid"),
      outcome: "invalid_key",
      dead: true,
      source: "api-docs.deepseek.com/quick_start/error_codes",
    },
    {
      phrase: ["authentication fails (no such user)"],
      outcome: "invalid_key",
      source: "deepseek issues: no word of the key",
    },
  ],
};

/** Perplexity: its ordinary 401 is a page of its web server. */
export const PERPLEXITY: Reader = {
  providers: words("perplexity | pplx"),
  rules: [],
  onlyThisProvider: [
    {
      status: [401],
      form: "html",
      outcome: "invalid_key",
      source: "continuedev/continue issues: its ordinary 401 is a page of openresty",
    },
  ],
};

/** Hosts of open models with few error texts of their own. */
export const OTHERS: Reader = {
  providers: words(`
    together | fireworks | replicate | cerebras | sambanova | nvidia | deepinfra | ai21 | novita |
    hyperbolic
  `),
  rules: [
    {
      phrase: words(`
        account … is suspended, possibly due to reaching the monthly spending limit |
        suspended, possibly due to
      `),
      outcome: "quota_exhausted",
      source: "fireworks issues: a 412",
    },
    {
      phrase: words("you have insufficient credit to run this model | insufficient credit to run"),
      outcome: "quota_exhausted",
      source: "replicate.com/docs: 402",
    },
    {
      phrase: words("inference prohibited, please enter a payment method | enter a payment method"),
      outcome: "quota_exhausted",
      source: "deepinfra.com/docs: 402",
    },
    {
      phrase: words(`
        credit limit exceeded, please navigate to | not enough balance | not_enough_balance
      `),
      outcome: "quota_exhausted",
      source: "together and novita documentation",
    },
    {
      phrase: words(`
        you've used all your free credits | account creation. please contact | cloud credits expired |
        credits are expired
      `),
      outcome: "quota_exhausted",
      source: "build.nvidia.com forum: 402",
    },
    {
      phrase: ["degraded function cannot be invoked"],
      outcome: "server_error",
      source: "build.nvidia.com: a 400",
    },
    {
      phrase: words("does not have enough balance | your access … lacks balance"),
      outcome: "quota_exhausted",
      source: "stability-sdk issues: PERMISSION_DENIED",
    },
    {
      phrase: ["capacity exceeded for the flex tier"],
      outcome: "server_error",
      source: "console.groq.com/docs/flex-processing: 498",
    },
    {
      phrase: ["please supply a valid auth_key parameter"],
      status: [403],
      outcome: "invalid_key",
      dead: true,
      source: "developers.deepl.com: a 403 of a wrong key",
    },
    {
      phrase: words("service_key_is_not_registered_error | deadline_has_expired_error"),
      outcome: "invalid_key",
      dead: true,
      source: "data.go.kr: error codes 30 and 31, of a key that is unknown or over",
    },
    {
      code: ["not_enough_balance"],
      outcome: "quota_exhausted",
      source: "novita.ai/docs",
    },
    {
      code: words(`
        request_quota_exceeded | token_quota_exceeded | queue_exceeded | too_many_requests_error
      `),
      outcome: "rate_limited",
      source: "inference-docs.cerebras.ai/support/rate-limits",
    },
  ],
};
