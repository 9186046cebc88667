import type { Reader } from "../types.ts";
import { words } from "../words.ts";

/** Azure OpenAI, Azure AI Foundry, GitHub Models. One sentence covers a wrong key and a wrong endpoint: the key may be good. */
export const AZURE: Reader = {
  providers: words(`
    azure | azure-openai | azure_openai | azureopenai | azure-ai | azure_ai | github | github-models
  `),
  sendsMilliseconds: true,
  rules: [
    {
      phrase: words(`
        access denied due to virtual network/firewall rules | public access is disabled |
        principal does not have access to api/operation | the principal … lacks the required data action
      `),
      outcome: "refused",
      source: "learn.microsoft.com, Azure OpenAI network and role errors",
    },
    {
      phrase: ["access denied due to invalid subscription key or wrong api endpoint"],
      outcome: "invalid_key",
      source: "learn.microsoft.com/answers: 401 of Cognitive Services",
    },
    {
      phrase: words("out of call volume quota | call rate limit of your current"),
      outcome: "rate_limited",
      source: "learn.microsoft.com, Azure OpenAI quotas",
    },
  ],
};
