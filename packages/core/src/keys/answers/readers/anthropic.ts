import type { Reader } from "../types.ts";
import { words } from "../words.ts";

/** Anthropic. An empty account is a 400. */
export const ANTHROPIC: Reader = {
  providers: words("anthropic | claude"),
  rules: [
    {
      phrase: words(`
        credit balance is too low | reached your specified api usage limits |
        reached your specified workspace api usage limits |
        you have reached your … usage limits. you will regain access
      `),
      outcome: "quota_exhausted",
      source: "anthropics/claude-code#66314; docs.anthropic.com/en/api/rate-limits (spend limits), a 400",
    },
    {
      code: ["authentication_error"],
      phrase: words("invalid authentication credentials | invalid bearer token"),
      outcome: "invalid_key",
      dead: true,
      source: "anthropics/claude-code issues: the 401 of a dead key",
    },
    {
      code: ["billing_error"],
      outcome: "quota_exhausted",
      source: "docs.anthropic.com/en/api/errors",
    },
    {
      phrase: words(`
        invalid x-api-key | oauth token has expired | invalid api key · please run /login
      `),
      outcome: "invalid_key",
      dead: true,
      source: "docs.anthropic.com/en/api/errors; anthropics/claude-code issues",
    },
    {
      phrase: words(`
        oauth authentication is currently not supported | account has been disabled after an automatic review |
        credential is only authorized for use with claude code
      `),
      outcome: "refused",
      source: "anthropics/claude-code issues",
    },
    {
      code: ["overloaded_error"],
      outcome: "server_error",
      source: "docs.anthropic.com/en/api/errors: 529",
    },
    {
      phrase: words(`
        number of request tokens has exceeded | would exceed your … rate limit |
        would exceed the rate limit for your organization
      `),
      outcome: "rate_limited",
      source: "docs.anthropic.com/en/api/rate-limits",
    },
  ],
};
