import { providerNameOf } from "@keyhub/core/rotate";
import { parse } from "yaml";
import * as z from "zod/mini";
import { CommandFailure } from "../failure.ts";
import { type Input, type Lookup, readEntry, resolveReference } from "./entry.ts";

/** Keyhub's names of the providers that LiteLLM calls by another name. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure_ai: "azure",
  cohere_chat: "cohere",
  fireworks_ai: "fireworks",
  moonshot: "moonshot",
  nvidia_nim: "nvidia",
  together_ai: "together",
  zai: "zhipu",
};
/** Patterns of the model names that LiteLLM accepts without a provider in front (`openai/…`), each with the provider of these models. */
const BARE_MODELS: readonly [RegExp, string][] = [
  [/^(gpt-|chatgpt-|o\d|text-embedding-)/, "openai"],
  [/^claude-/, "anthropic"],
];

const config = z.looseObject({
  model_list: z.array(
    z.looseObject({
      model_name: z.optional(z.string()),
      litellm_params: z.looseObject({
        model: z.string(),
        api_key: z.optional(z.nullable(z.string())),
        custom_llm_provider: z.optional(z.nullable(z.string())),
        api_base: z.optional(z.nullable(z.string())),
        organization: z.optional(z.nullable(z.string())),
      }),
    }),
  ),
});

/**
 * Reads the keys of a LiteLLM config.yaml, with api_base and organization as settings. Leaves out models without a key
 * (LiteLLM itself takes their keys from its environment) and models on a server without https, which is not a provider's server.
 */
export function readLitellm(text: string, lookup: Lookup): Input {
  const parsed = z.safeParse(config, parseYaml(text));
  if (!parsed.success)
    throw new CommandFailure(
      "this is not a LiteLLM config: it has no model_list of litellm_params with model and api_key",
    );
  const entries: Input["entries"] = [];
  const others: string[] = [];
  for (const [index, { model_name, litellm_params }] of parsed.data.model_list.entries()) {
    const { model, api_key, custom_llm_provider } = litellm_params;
    const place = `model_list[${index}]`;
    const resolve = (text: string | null | undefined) =>
      text ? resolveReference(text, place, lookup).value : undefined;
    const [base_url, organization] = [resolve(litellm_params.api_base), resolve(litellm_params.organization)];
    if (!api_key || (base_url && !base_url.startsWith("https://"))) {
      others.push(place);
      continue;
    }
    const { value, from } = resolveReference(api_key, place, lookup);
    const provider = providerOfModel(model, custom_llm_provider);
    const settings = { ...(base_url && { base_url }), ...(organization && { organization }) };
    const entry = readEntry(place, {
      name: from ?? model_name ?? model,
      key: value,
      ...(provider && { provider }),
    });
    entries.push({ ...entry, settings });
  }
  return { entries, others };
}

function parseYaml(text: string): unknown {
  try {
    return parse(text, { logLevel: "error" });
  } catch {
    // The parser's own message would repeat the line.
    throw new CommandFailure("this is not YAML");
  }
}

function providerOfModel(model: string, custom: string | null | undefined): string | null {
  const named = custom ?? (model.includes("/") ? model.slice(0, model.indexOf("/")) : undefined);
  if (named !== undefined) return PROVIDERS[named] ?? providerNameOf(named);
  return BARE_MODELS.find(([begin]) => begin.test(model))?.[1] ?? null;
}
