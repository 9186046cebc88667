import type { Reader } from "../types.ts";
import { words } from "../words.ts";

/** IBM watsonx and IBM Cloud, which checks the key before watsonx gets the request. */
export const IBM: Reader = {
  providers: words("watsonx | ibm | ibm-watsonx"),
  rules: [
    {
      code: ["token_quota_reached"],
      outcome: "quota_exhausted",
      source: "cloud.ibm.com/apidocs/watsonx-ai: a 403",
    },
    {
      code: words("bxnim0415e | bxnim0410e | bxnim0439e"),
      outcome: "invalid_key",
      dead: true,
      source: "IAM of IBM Cloud: no such key, not of this account, expired",
    },
    {
      code: words("bxnim0420e | bxnim0462e"),
      outcome: "refused",
      source: "IAM of IBM Cloud: the key is locked or disabled, which its owner lifts",
    },
  ],
};

/** Databricks. */
export const DATABRICKS: Reader = {
  providers: ["databricks"],
  rules: [
    {
      code: ["request_limit_exceeded"],
      outcome: "rate_limited",
      source: "databricks error classes",
    },
    {
      phrase: ["exceeded the concurrent limit of"],
      outcome: "rate_limited",
      source: "databricks issues",
    },
  ],
};

/** Cloudflare Workers AI. */
export const CLOUDFLARE: Reader = {
  providers: words("cloudflare | workers-ai | cloudflare-workers-ai"),
  onlyThisProvider: [
    {
      code: words("code:10000 | errors.code:10000"),
      outcome: "invalid_key",
      source: "developers.cloudflare.com/api: a token that is wrong, or without this permission",
    },
  ],
  rules: [],
};
