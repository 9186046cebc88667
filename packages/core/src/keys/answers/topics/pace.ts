import type { Rule } from "../types.ts";
import { words } from "../words.ts";

// A limit of pace.

/** Identifiers. */
export const PACE: Rule = {
  code: words(`
    rate_limit_exceeded | rate_limit_error | rate_limited | ratelimitexceeded | too_many_requests |
    toomanyrequests | resource_exhausted | throttlingexception | throttling | throttled |
    rate_limit_reached | rate_limit_reached_error | requests_limit_exceeded | tokens_limit_exceeded |
    limit_requests | concurrency_limit_exceeded | ratelimiterror | ratelimitreached | rate_limit |
    user_concurrency_exceeded | too_many_concurrent_requests | tokens | requests
  `),
  outcome: "rate_limited",
  source: "OpenAI's dialect, as documented by OpenAI, Together, Fireworks, Groq, DeepSeek and others",
};

/** Phrases. */
export const PACE_WORDS: Rule = {
  phrase: words(`
    过于频繁 |
    quota will reset | query over limit | over_limit | over_query_limit |
    usage limits … exceeded | usage limit … exceeded | request quota |
    hit your session limit | session limit | hit your limit | 5-hour limit | usage limit reached … resets |
    rate limit | rate-limit | ratelimit | too many requests | too many concurrent |
    requests per minute | tokens per minute | requests per day | tokens per day |
    requests per second | quota exceeded | resource_exhausted | resource exhausted |
    resource has been exhausted | throttl | slow down | concurrency limit | concurrent requests |
    request limit | 请求过于频繁 | 速率限制 | 频率 | 并发 | 限流 | 请求过快 | リクエストが多すぎ | レート制限 | слишком много запросов
  `),
  outcome: "rate_limited",
  source: "issue threads of several providers; tests/fixtures/answers names each",
};

/** Phrases that only a limit of pace has: such an answer often adds an offer to pay for a higher one. */
export const PACE_UNITS: Rule = {
  phrase: words(`
    daily limit | hourly limit |
    calls per minute | call frequency | calls per day | calls per second | requests/min |
    rate limit | rate-limit | requests per minute | tokens per minute | requests per day | tokens per day |
    requests per second | requests per hour | tokens per min | req/min | per-minute | /min | /minute | (rpm | (tpm | (rpd |
    rpm limit | tpm limit | rpd limit | too many requests | concurrent | concurrency | free-models-per-
  `),
  outcome: "rate_limited",
  source: "issue threads of several providers; tests/fixtures/answers names each",
};

/** Identifiers that mean it with any status. */
export const PACE_CODES_OF_400: Rule = {
  code: words(`
    rate_limit_exceeded | rate_limit_error | throttlingexception | throttling | resource_exhausted |
    too_many_requests | toomanyrequestsexception
  `),
  outcome: "rate_limited",
  source: "OpenAI's dialect, as documented by OpenAI, Together, Fireworks, Groq, DeepSeek and others",
};

/** Phrases that cannot be about anything else, for a status about the request. */
export const PACE_WORDS_OF_400: Rule = {
  phrase: words(`
    rate limit | rate-limit | ratelimit |
    rate limit exceeded | rate limit reached | too many requests | throttlingexception
  `),
  outcome: "rate_limited",
  source: "issue threads of several providers; tests/fixtures/answers names each",
};
