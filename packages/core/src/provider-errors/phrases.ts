import { VOCABULARY } from "./vocabulary.ts";

/**
 * Makes one pattern of phrases that " | " separates, for text in lower case. A phrase is a regular expression of whole words, in which
 * - `{money}` stands for a list of the vocabulary,
 * - ` … ` for at most 80 characters,
 * - ` <24> ` for at most 24 characters of one sentence, and ` <~24> ` for the same with the two sides in either order.
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
 * Joins patterns as alternatives. Patterns of non-Latin letters are tested separately: most texts have no such letters, and skipping these
 * patterns halves the time for reading a text.
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

/** The start of a word. It is tested once for all phrases that begin with a word. */
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
  // `\b` works only beside ASCII letters. A part that ends with a repetition or a group sets its own end.
  const bounded = /^[ -~]*$/.test(part);
  const start = bounded && /^(?:\(\?:)*[a-z\d]/.test(part) ? START : "";
  return `${start}${filled}${bounded && /[a-z\d]\??$|\)\?$/.test(part) ? "\\b" : ""}`;
}
