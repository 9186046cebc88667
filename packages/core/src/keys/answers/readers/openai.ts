import type { Reader } from "../types.ts";
import { words } from "../words.ts";

/** OpenAI, and providers with its error format. A 429 with "request too large" is one request above the limit: no wait helps. */
export const OPENAI: Reader = {
  providers: words("openai | open-ai"),
  sendsMilliseconds: true,
  rules: [
    {
      code: ["insufficient_quota"],
      outcome: "quota_exhausted",
      source: "platform.openai.com/docs/guides/error-codes: the type of every limit that is money",
    },
    {
      code: ["usage_limit_reached"],
      outcome: "rate_limited",
      source: "openai/codex issues: the window of a subscription, with resets_in_seconds",
    },
    {
      code: ["deactivated_workspace"],
      outcome: "refused",
      source: "openai issues: a 402 of a workspace that its owner ended",
    },
    {
      code: words(`
        unsupported_country_region_territory | ip_not_authorized | mismatched_project |
        mismatched_organization | no_project_access
      `),
      outcome: "refused",
      source: "platform.openai.com/docs/guides/error-codes",
    },
    {
      phrase: words(`
        you must be a member of an organization | missing scopes | ip is not authorized |
        ip not authorized | ip address … not authorized | openai-organization header should match |
        no such organization | organization must be verified | does not have access to model |
        project … does not have access | openai-project header should match |
        insufficient permissions for this operation | country, region, or territory not supported |
        you are not allowed to sample from this model
      `),
      outcome: "refused",
      source: "platform.openai.com/docs/guides/error-codes; community.openai.com",
    },
    {
      phrase: words(`
        incorrect api key provided | openai account has been deactivated |
        associated with a deactivated account | this key is associated with a deactivated |
        your access was terminated
      `),
      outcome: "invalid_key",
      dead: true,
      source: "platform.openai.com/docs/guides/error-codes",
    },
    {
      phrase: words("request too large for | must be reduced in order to run successfully"),
      outcome: "caller_fault",
      source: "openai/openai-cookbook: one request above the limit per minute; no wait helps",
    },
    {
      phrase: words(`
        billing hard limit has been reached |
        your account is not active, please check your billing details
      `),
      outcome: "quota_exhausted",
      source: "platform.openai.com/docs/guides/error-codes",
    },
  ],
};
