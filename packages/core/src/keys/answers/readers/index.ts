import type { Reader } from "../types.ts";
import { ANTHROPIC } from "./anthropic.ts";
import { AWS } from "./aws.ts";
import { BAIDU, MINIMAX } from "./baidu-minimax.ts";
import { DASHSCOPE, MOONSHOT, SILICONFLOW, VOLCENGINE } from "./china.ts";
import { CLOUDFLARE, DATABRICKS, IBM } from "./clouds.ts";
import { GOOGLE } from "./google.ts";
import { COHERE, DEEPSEEK, GROQ, HUGGING_FACE, MISTRAL, OTHERS, PERPLEXITY } from "./hosts.ts";
import { IFLYTEK } from "./iflytek.ts";
import { LITELLM } from "./litellm.ts";
import { DEEPGRAM, ELEVENLABS } from "./media.ts";
import { AZURE } from "./microsoft.ts";
import { OPENAI } from "./openai.ts";
import { OPENROUTER } from "./openrouter.ts";
import { SEARCH } from "./search.ts";
import { XAI } from "./xai.ts";
import { ZHIPU } from "./zhipu.ts";

/** Every reader. The order matters only where two readers could match: the more specific reader comes first. */
export const READERS: readonly Reader[] = [
  ...[
    GOOGLE,
    ANTHROPIC,
    AZURE,
    XAI,
    OPENROUTER,
    MISTRAL,
    COHERE,
    GROQ,
    DEEPSEEK,
    HUGGING_FACE,
    PERPLEXITY,
    AWS,
  ],
  ...[
    ZHIPU,
    MOONSHOT,
    DASHSCOPE,
    MINIMAX,
    BAIDU,
    SILICONFLOW,
    VOLCENGINE,
    IFLYTEK,
    ELEVENLABS,
    DEEPGRAM,
    SEARCH,
  ],
  ...[LITELLM, IBM, DATABRICKS, CLOUDFLARE, OTHERS, OPENAI],
];

const BY_PROVIDER = new Map(
  READERS.flatMap((reader) => reader.providers.map((name) => [name, reader] as const)),
);

/** The reader for an operator's name of a provider ("openai", "openai-eu", "azure_openai"); undefined for others. */
export function readerOf(provider: string): Reader | undefined {
  const name = provider.toLowerCase();
  return BY_PROVIDER.get(name) ?? BY_PROVIDER.get(/^[a-z0-9]{1,40}/.exec(name)?.[0] ?? "");
}
