import type { Reader } from "../types.ts";
import { words } from "../words.ts";

/** xAI: one sentence about empty accounts with 403 and 429. */
export const XAI: Reader = {
  providers: words("xai | x-ai | grok"),
  rules: [
    {
      phrase: words(`
        your newly created team | your newly created … doesn't have any credits |
        used all available credits or reached its monthly spending limit | doesn't have any credits yet |
        purchase more credits or raise your spending limit
      `),
      outcome: "quota_exhausted",
      source: "docs.x.ai; issues of cline, zed and opencode",
    },
    {
      phrase: words("incorrect api key provided | invalid or expired credentials"),
      outcome: "invalid_key",
      dead: true,
      source: "docs.x.ai: a 400",
    },
    {
      code: ["unauthenticated:bad-credentials"],
      outcome: "invalid_key",
      dead: true,
      source: "docs.x.ai",
    },
    {
      phrase: words("this api key is blocked | api key is currently blocked | api key is disabled"),
      outcome: "invalid_key",
      dead: true,
      source: "docs.x.ai: api keys",
    },
  ],
};
