import type { ProviderError, ReaderRule } from "./types.ts";

/** Maximum distance between the parts of a phrase with " … ", in characters. */
const GAP = 80;

/** Length of the beginning of a message: room for an SDK's prefix and a sentence. */
const EARLY = 240;

/** Whether an answer meets all conditions of a rule. */
export function matches(
  rule: ReaderRule,
  { status, form, codes, identifierWords, message, messageWords }: ProviderError,
): boolean {
  if (rule.status !== undefined && !rule.status.includes(status)) return false;
  if (rule.form !== undefined && rule.form !== form) return false;
  if (rule.code !== undefined && !rule.code.some((code) => codes.has(code))) return false;
  if (rule.identifierWords !== undefined && !rule.identifierWords.test(identifierWords)) return false;
  if (
    rule.pattern !== undefined &&
    !rule.pattern.test(rule.early ? messageWords.slice(0, EARLY) : messageWords)
  )
    return false;
  return rule.phrase === undefined || says(rule.early ? message.slice(0, EARLY) : message, rule.phrase);
}

/** The pattern of each list of phrases, built once. One alternation of plain words is matched ten times as fast as single words. */
const patterns = new WeakMap<readonly string[], RegExp>();

/** Whether a message has one of the phrases. Linear: a phrase has at most two gaps, and each is bounded. */
export function says(message: string, phrases: readonly string[]): boolean {
  let pattern = patterns.get(phrases);
  if (pattern === undefined) {
    pattern = new RegExp(
      phrases.map((phrase) => phrase.split(" … ").map(escaped).join(`.{0,${GAP}}`)).join("|"),
    );
    patterns.set(phrases, pattern);
  }
  return pattern.test(message);
}

export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
