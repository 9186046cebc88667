import type { Parsed } from "../faults.ts";
import type { Fault } from "../problem.ts";
import { characters } from "./characters.ts";

/** The most tags, and the longest tag, in characters. */
export const TAGS = { count: 20, length: 64 } as const;

/**
 * The longest tag, in UTF-16 code units, that is normalised: ordering combining marks takes quadratic time. READ is larger than
 * TAGS.length, because normalising removes spaces and `#`, and joins marks with their letters.
 */
const READ = 256;

const TAG = /^[\p{L}\p{M}\p{N}+._:/-]+$/u;

/**
 * Normalises tags: NFKC, lower case, without `#` and surrounding spaces, without duplicates, in the given order. Each fault names
 * the index of its tag.
 */
export function normaliseTags(tags: readonly string[]): Parsed<string[]> {
  const faults: Fault[] = [];
  const result = new Set<string>();
  for (const [i, tag] of tags.entries()) {
    const path = `tags.${i}`;
    const long = tag.length > READ;
    const text = long
      ? tag
      : tag.normalize("NFKC").toLowerCase().trim().replace(/^#+/, "").trim().normalize("NFKC");
    if (text === "") faults.push({ path, code: "too_small", message: "must be at least 1 characters" });
    else if (long || characters(text, TAGS.length) > TAGS.length)
      faults.push({ path, code: "too_big", message: `must be at most ${TAGS.length} characters` });
    else if (!TAG.test(text))
      faults.push({ path, code: "invalid_format", message: "may have letters, digits and + . _ : / - only" });
    else result.add(text);
  }
  if (result.size > TAGS.count) {
    faults.push({ path: "tags", code: "too_big", message: `must be at most ${TAGS.count} tags` });
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, value: [...result] };
}

/** Matches a tag that names a model. The facets of hub_search list such tags under `models`, not under `tags`. */
export const MODEL_TAG =
  /^(gpt|o[0-9]|claude|gemini|llama|mistral|mixtral|qwen|deepseek|grok|command|phi|gemma|nova)([.:/-]|[0-9]|$)/;
