import type { Reader } from "../types.ts";
import { words } from "../words.ts";

/** LiteLLM as the provider: its own keys and budgets. Its answer about an unknown token means nothing for other providers' keys. */
export const LITELLM: Reader = {
  providers: ["litellm"],
  rules: [
    {
      phrase: words(`
        budget has been exceeded | crossed budget | exceededbudget | crossed spend within budget
      `),
      outcome: "quota_exhausted",
      source: "litellm proxy: the budget of the key, its user or its team",
    },
    {
      code: words("exceededbudget | budget_exceeded"),
      outcome: "quota_exhausted",
      source: "litellm proxy error types",
    },
  ],
  onlyThisProvider: [
    {
      phrase: words(`
        invalid proxy server token passed | unable to find token in cache | token_not_found_in_db
      `),
      outcome: "invalid_key",
      dead: true,
      source: "litellm proxy: the key is not in its table",
    },
    {
      phrase: ["max parallel request limit reached"],
      outcome: "rate_limited",
      source: "litellm proxy",
    },
  ],
};
