import type { Reader } from "../types.ts";
import { words } from "../words.ts";

/** Search APIs that agents call: Tavily, Serper, SerpApi, Brave, Exa, Firecrawl, Jina. */
export const SEARCH: Reader = {
  providers: words(`
    tavily | serper | serpapi | brave | exa | firecrawl | jina | bing | google-search | you
  `),
  rules: [
    {
      phrase: words(`
        this request exceeds your plan's set usage limit | exceeds your plan's set usage limit |
        this request exceeds the pay-as-you-go limit | not enough credits | run out of searches |
        insufficient credits to perform this request | out of searches | account balance not enough |
        insufficient account balance
      `),
      outcome: "quota_exhausted",
      source: "docs.tavily.com (432, 433), serper.dev, serpapi.com, docs.firecrawl.dev, jina.ai",
    },
    {
      code: words("quota_limited | usage_limit_exceeded"),
      outcome: "quota_exhausted",
      source: "api-dashboard.search.brave.com: the month's allowance",
    },
    {
      code: ["rate_limited"],
      outcome: "rate_limited",
      source: "api-dashboard.search.brave.com",
    },
    {
      phrase: ["subscription_token_invalid"],
      outcome: "invalid_key",
      dead: true,
      source: "brave issues",
    },
    {
      code: ["subscription_token_invalid"],
      outcome: "invalid_key",
      dead: true,
      source: "api-dashboard.search.brave.com: a 422",
    },
    {
      code: words("option_not_in_plan | resource_not_allowed | feature_disabled | subscription_not_found"),
      outcome: "refused",
      source: "api-dashboard.search.brave.com; docs.exa.ai",
    },
    {
      code: words("robots_filter_failed | prohibited_content | unable_to_generate_response"),
      outcome: "caller_fault",
      source: "docs.exa.ai: 403 and 422 of one search",
    },
    {
      phrase: ["your api key is invalid. your api key should be here"],
      outcome: "invalid_key",
      dead: true,
      source: "docs.tavily.com; serpapi.com",
    },
  ],
};
