import type { AnswerEntry, FailureScope, Outcome, Subject } from "./types.ts";
import { VOCABULARY } from "./vocabulary.ts";

/**
 * Makes one pattern of phrases that " | " separates, for text in lower case. A phrase is a regular expression of whole words, in which
 * - `{funds}` matches any phrase of the list `funds` in the vocabulary,
 * - ` … ` matches at most 80 characters,
 * - ` <24> ` matches at most 24 characters of one sentence, and ` <~24> ` also allows the two sides in the opposite order.
 * Every repetition is bounded, so that reading a text takes linear time.
 */
export function phrases(text: string): RegExp {
  return new RegExp(oneOf(alternatives(text).flatMap(patternsOf)));
}

/** Returns the patterns of one phrase: two if its sides may come in either order. */
function patternsOf(phrase: string): string[] {
  const [, one = "", gap = "", other = ""] = /^(.*?) <~(\d{1,2})> (.*)$/.exec(phrase) ?? [];
  if (gap === "") return [patternOf(phrase)];
  return [patternOf(`${one} <${gap}> ${other}`), patternOf(`${other} <${gap}> ${one}`)];
}

/**
 * Joins patterns as alternatives. Patterns that begin with a non-ASCII letter are behind one lookahead: most texts have no such letters,
 * and skipping these patterns halves the time for reading a text.
 */
function oneOf(patterns: readonly string[]): string {
  const foreign = patterns.filter((one) => /^[^ -~]/.test(one));
  const words = patterns.filter((one) => one.startsWith(START));
  const others = patterns.filter((one) => !foreign.includes(one) && !words.includes(one));
  return [
    ...(words.length === 0 ? [] : [`${START}(?:${words.map((one) => one.slice(START.length)).join("|")})`]),
    ...others,
    ...(foreign.length === 0 ? [] : [`(?=[^ -~])(?:${foreign.join("|")})`]),
  ].join("|");
}

/** The pattern for the start of a word. `oneOf` tests it once for all phrases that begin with a word. */
const START = "\\b";

/** Splits a list of identifiers or phrases at " | "; the list may have any number of lines. */
export function alternatives(text: string): string[] {
  return text.trim().replace(/\s+/g, " ").split(" | ");
}

function patternOf(phrase: string): string {
  return phrase
    .split(/( … | <\d{1,2}> )/)
    .map((part) => {
      if (part === " … ") return ".{0,80}";
      const gap = /^ <(\d{1,2})> $/.exec(part)?.[1];
      return gap === undefined ? wholeWords(part) : `[^.!?;|。！？；，]{0,${gap}}?`;
    })
    .join("");
}

function wholeWords(part: string): string {
  const filled = part.replace(/\{([a-z][a-z ]+)\}/g, (_, list: string) => {
    const words = VOCABULARY[list];
    if (words === undefined) throw new Error(`The vocabulary has no list "${list}"`);
    return `(?:${oneOf(alternatives(words).flatMap(patternsOf))})`;
  });
  // `\b` works only beside ASCII letters, so parts with other letters get none. A part that ends with a repetition or a group must write
  // its own `\b`.
  const bounded = /^[ -~]*$/.test(part);
  const start = bounded && /^(?:\(\?:)*[a-z\d]/.test(part) ? START : "";
  return `${start}${filled}${bounded && /[a-z\d]\??$|\)\?$/.test(part) ? "\\b" : ""}`;
}

/** The fields that each entry of the table sets itself. In `codes`, `names` and `phrases`, " | " separates the elements. */
interface Row extends Pick<AnswerEntry, "statuses" | "form" | "window" | "dayOf"> {
  codes?: string;
  names?: string;
  phrases?: string;
  /** The scope of the entry, set only when it differs from the usual scope of the outcome. */
  scope?: FailureScope;
}

/** Returns a function that makes entries with one subject, one outcome and one usual scope. */
const about =
  (subject: Subject, outcome: Outcome, usualScope: FailureScope, dead = false) =>
  (
    id: string,
    source: string,
    { codes, names, phrases: said, scope = usualScope, ...columns }: Row,
  ): AnswerEntry => ({
    id,
    source,
    subject,
    outcome,
    scope,
    ...(dead && { dead }),
    ...columns,
    ...(codes !== undefined && { codes: alternatives(codes) }),
    ...(names !== undefined && { names: phrases(names) }),
    ...(said !== undefined && { phrases: phrases(said) }),
  });

/** The `source` of an entry whose words many providers use. */
export const SEEN = "answers of several providers; tests/fixtures/answers names each";

export const money = about("money", "quota_exhausted", "account");
/** A limit applies to one model, unless the answer states another scope (classify.ts). */
export const limit = about("limit", "rate_limited", "model");
export const deadKey = about("key", "invalid_key", "key", true);
/** The provider does not accept the key, for a reason that may end: the key cools, and is not disabled. */
export const restingKey = about("key", "invalid_key", "key");
export const refusal = about("refusal", "refused", "key");
export const request = about("request", "caller_fault", "request");
export const failure = about("service", "server_error", null);
export const unreached = about("network", "unreachable", null);
const ofBetween = about("between", "intermediary", null);
/** Makes an entry for any status, because an intermediary can answer with any. */
export const between = (id: string, source: string, row: Row) =>
  ofBetween(id, source, { statuses: ALL, ...row });
const ALL = [0, 400, 401, 402, 403, 404, 408, 429, 499, 500] as const;
export const unknownCause = about("request", "unknown", null);
