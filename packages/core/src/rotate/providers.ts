import type { KeyHeader } from "./key-places.ts";
import { parseUrl } from "./url.ts";

interface Provider {
  hosts: readonly string[];
  place: KeyHeader;
}

const bearer = (...hosts: string[]): Provider => ({ hosts, place: "authorization" });

/**
 * Providers by the name in user_api_keys.provider. A name such as `openai-eu` is read as
 * `openai`. keyhub.py has the same table; a test compares them.
 */
const PROVIDERS: Record<string, Provider> = {
  openai: bearer("api.openai.com", "*.api.openai.com"),
  anthropic: { hosts: ["api.anthropic.com"], place: "x-api-key" },
  gemini: { hosts: ["generativelanguage.googleapis.com"], place: "x-goog-api-key" },
  azure: {
    hosts: ["*.openai.azure.com", "*.cognitiveservices.azure.com", "*.services.ai.azure.com"],
    place: "api-key",
  },
  elevenlabs: { hosts: ["api.elevenlabs.io", "*.elevenlabs.io"], place: "xi-api-key" },
  cerebras: bearer("api.cerebras.ai"),
  cohere: bearer("api.cohere.com", "api.cohere.ai"),
  dashscope: bearer("dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com"),
  deepgram: bearer("api.deepgram.com"),
  deepseek: bearer("api.deepseek.com"),
  fireworks: bearer("api.fireworks.ai"),
  groq: bearer("api.groq.com"),
  huggingface: bearer("router.huggingface.co"),
  minimax: bearer("api.minimax.io", "api.minimaxi.com"),
  mistral: bearer("api.mistral.ai", "codestral.mistral.ai"),
  moonshot: bearer("api.moonshot.ai", "api.moonshot.cn"),
  nvidia: bearer("integrate.api.nvidia.com"),
  openrouter: bearer("openrouter.ai"),
  perplexity: bearer("api.perplexity.ai"),
  siliconflow: bearer("api.siliconflow.com", "api.siliconflow.cn"),
  tavily: bearer("api.tavily.com"),
  together: bearer("api.together.xyz", "api.together.ai"),
  voyage: bearer("api.voyageai.com"),
  xai: bearer("api.x.ai"),
  zhipu: bearer("open.bigmodel.cn", "api.z.ai"),
};

/** The names of the providers in the table. */
export const PROVIDER_NAMES: readonly string[] = Object.keys(PROVIDERS);

/** Other names of providers, each with the name in the table. */
export const ALIASES: Readonly<Record<string, string>> = { google: "gemini" };

/** Returns a provider's name in lower case; for an alias, the name in the table. */
export function providerNameOf(name: string): string {
  const lower = name.trim().toLowerCase();
  return Object.hasOwn(ALIASES, lower) ? (ALIASES[lower] ?? lower) : lower;
}

/** Returns the entry of a provider, or undefined if the table does not have it. */
export function providerOf(name: string): Provider | undefined {
  const lower = name.trim().toLowerCase();
  const [family = ""] = lower.split("-");
  for (const known of [lower, family]) {
    const spelled = ALIASES[known] ?? known;
    if (Object.hasOwn(PROVIDERS, spelled)) return PROVIDERS[spelled];
  }
  return undefined;
}

/** Returns whether the list allows this URL: a host in the list allows its https URLs, an origin (`http://…`) allows its own URLs. */
export function isListed(url: URL, hosts: readonly string[]): boolean {
  return hosts.some((listed) => {
    if (listed.includes("://")) return parseUrl(listed)?.origin === url.origin;
    if (url.protocol !== "https:") return false;
    const host = listed.toLowerCase();
    if (host.startsWith("*.")) return url.hostname.endsWith(host.slice(1));
    return host === url.hostname || host === url.host;
  });
}
