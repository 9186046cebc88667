import { escaped, matches } from "./match.ts";
import type { ProviderError, ReaderRule } from "./types.ts";

/** Rules that are tried in order, with a quick test: most answers match no rule of most lists, and the test finds that at once. */
export interface List {
  rules: readonly ReaderRule[];
  codes: ReadonlySet<string>;
  phrases: RegExp;
}

/** Every rule of a list has a code or a phrase, so an answer without any of them is skipped at once. */
export function listOf(rules: readonly ReaderRule[]): List {
  const phrases = rules.flatMap((rule) => (rule.code === undefined ? (rule.phrase ?? []) : []));
  return {
    rules,
    codes: new Set(rules.flatMap((rule) => rule.code ?? [])),
    // An empty pattern would match everything; this one matches nothing.
    phrases: phrases.length === 0 ? /$^/ : new RegExp(beginnings(phrases).map(escaped).join("|")),
  };
}

/** The first parts of phrases in order: an alternation of plain words is matched as fast as a trie. */
function beginnings(phrases: readonly string[]): string[] {
  const parts = [...new Set(phrases.map((phrase) => phrase.split(" … ", 1)[0] ?? ""))].sort();
  return parts.filter((part) => !parts.some((other) => other !== part && part.startsWith(other)));
}

/** The first rule of a list that an answer matches. */
export function firstIn(list: List, error: ProviderError): ReaderRule | undefined {
  return mayHave(list, error) ? list.rules.find((rule) => matches(rule, error)) : undefined;
}

/** Whether some rule of a list can match at all. */
export function mayHave({ codes, phrases }: List, error: ProviderError): boolean {
  for (const code of error.codes) if (codes.has(code)) return true;
  return phrases.test(error.message);
}
