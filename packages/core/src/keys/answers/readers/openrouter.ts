import type { Reader } from "../types.ts";
import { words } from "../words.ts";

const UPSTREAM = {
  phrase: ["provider returned error"],
  source: "openrouter.ai/docs/api-reference/errors: metadata of provider errors",
};

/** OpenRouter, which passes on the answers of its upstreams. */
export const OPENROUTER: Reader = {
  providers: words("openrouter | open-router"),
  rules: [
    {
      phrase: ["location is not supported"],
      outcome: "refused",
      source: "ai.google.dev/gemini-api/docs/available-regions: passed on from Google",
    },
    // An upstream's answer about OpenRouter's key, or about one that its user stored there, is in metadata.raw.
    ...[401, 403].map((status) => ({ ...UPSTREAM, status: [status], outcome: "refused" as const })),
    { ...UPSTREAM, status: [400, 404, 413, 422], outcome: "caller_fault" },
    {
      phrase: words(`
        insufficient credits | requires more credits, or fewer max_tokens | can only afford |
        key limit exceeded | more credits are required | never purchased credits
      `),
      outcome: "quota_exhausted",
      source: "openrouter.ai/docs/api-reference/errors: 402 and 403",
    },
    {
      phrase: words(`
        rate limit exceeded: free-models-per- | limit_rpd | limit_rpm |
        is temporarily rate-limited upstream | temporarily rate-limited
      `),
      outcome: "rate_limited",
      source: "openrouter.ai/docs/api-reference/limits",
    },
    {
      phrase: ["requires moderation … flagged"],
      outcome: "caller_fault",
      source: "openrouter.ai/docs/api-reference/errors: a 403",
    },
    {
      phrase: ["data policy"],
      outcome: "refused",
      source: "openrouter.ai/docs: a setting of the account keeps every endpoint away",
    },
    {
      phrase: words(`
        no endpoints found | no allowed providers | flagged for
      `),
      outcome: "caller_fault",
      source: "openrouter.ai/docs",
    },
    {
      phrase: ["user not found"],
      status: [401],
      outcome: "invalid_key",
      source:
        "openrouter issues: 401 of a deleted key, and of good ones while accounts could not be looked up",
    },
    {
      phrase: words("no auth credentials found | no cookie auth credentials found"),
      outcome: "invalid_key",
      source: "openrouter issues: no key was sent",
    },
  ],
};
