import { PROVIDER_NAMES, providerNameOf } from "@keyhub/core/rotate";
import { parse } from "dotenv";
import { type Input, type Lookup, readEntry, resolveReference } from "./entry.ts";

/** Words in the names of settings that hold keys. */
const KEY_WORDS = ["key", "keys", "apikey", "token", "tokens"];

/**
 * Reads the keys of an env file: the settings whose names contain a provider and a word such as KEY (OPENAI_API_KEY_2). One setting may
 * have several keys, separated by commas (GROQ_KEYS). A value `${NAME}` is replaced from the file, or else by `lookup`.
 */
export function readEnvFile(text: string, lookup: Lookup): Input {
  const settings = parse(text.replace(/^\uFEFF/, ""));
  const entries: Input["entries"] = [];
  const others: string[] = [];
  for (const [name, setting] of Object.entries(settings)) {
    const provider = providerOfSetting(name);
    if (provider === null) {
      others.push(name);
      continue;
    }
    const { value } = resolveReference(setting, name, (other) => settings[other] ?? lookup(other));
    // A key that is JSON contains commas itself, so it is not split.
    const keys = value.trim().startsWith("{") ? [value] : value.split(",").filter((key) => key.trim() !== "");
    for (const [index, key] of keys.entries())
      entries.push(readEntry(name, { name: keys.length > 1 ? `${name} ${index + 1}` : name, key, provider }));
  }
  return { entries, others };
}

function providerOfSetting(name: string): string | null {
  const words = name.toLowerCase().split("_");
  if (!words.some((word) => KEY_WORDS.includes(word)) || words.includes("public")) return null;
  // The first word that names a provider is used: AZURE_OPENAI_API_KEY belongs to Azure.
  for (const word of words) {
    const provider = providerNameOf(word);
    if (PROVIDER_NAMES.includes(provider)) return provider;
  }
  return null;
}
