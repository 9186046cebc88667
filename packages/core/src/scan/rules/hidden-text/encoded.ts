import type { Rule, RuleContext } from "../rule.ts";

/**
 * The encoded forms of addresses and names that a source may hide. Their first words are known, whatever the decoder:
 * so these words are encoded in each usual code, and the source is searched for the result.
 */
const ENCODED_WORDS: readonly string[] = [
  // Base64 of http, javascript:, <script, constructor, Function, eval(, document., innerHTML, location.; base32 of http.
  ..."aHR0cD aHR0cH amF2YXNjcmlwd PHNjcmlwd Y29uc3RydWN0b3 RnVuY3Rpb2 ZXZhbC ZG9jdW1lbnQu aW5uZXJIVE1M bG9jYXRpb24 NB2HI4".split(
    " ",
  ),
  // Hexadecimal digits of http, plain and escaped.
  ..."68747470 \\x68\\x74\\x74 \\u0068\\u0074\\u0074 \\u{68}\\u{74}\\u{74} %68%74%74".split(" "),
  // Reversed, and in ROT13.
  ..."//:ptth //:sptth rotcurtsnoc noitcnuF LMTHrenni :tpircsavaj tpircs< uggcf:// uggc:// pbafgehpgbe wninfpevcg:".split(
    " ",
  ),
  // Full-width letters of http and eval.
  "\uff48\uff54\uff54\uff50",
  "\uff45\uff56\uff41\uff4c",
];
const SECURE = codes("https://");
const PLAIN = codes("http://");

function codes(word: string): number[] {
  return [...word].map((letter) => letter.charCodeAt(0));
}

/** A list of numbers, as many as the beginning of an address has letters. */
const NUMBERS = /-?\d{1,7}(?:\s*,\s*-?\d{1,7}){6,}/g;
/** Words that are searched for in lists of numbers. */
const WORDS = [
  "https:/",
  "http://",
  "constructor",
  "Function",
  "innerHTML",
  "document",
  "location",
  "javascript:",
].map(codes);
/** Maximum number of findings of this kind in one file. */
const MAX_FINDINGS = 8;
/** Numbers of one list that are read. */
const MAX_NUMBERS = 2048;

/** Reports addresses and names that are encoded. */
export const encoded: Rule = {
  id: "external-request",
  severity: "high",
  onFile: checkEncoded,
};

function checkEncoded(context: RuleContext): void {
  const { source, interpreter } = context;
  // An encoded string needs a decoder in the same file.
  if (interpreter.charwiseCalls.length === 0 && !interpreter.program.decodes) return;
  let left = MAX_FINDINGS;
  const say = (start: number, end: number) => {
    if (left-- > 0) context.reportText("external-request", "high", start, end);
  };
  for (const word of ENCODED_WORDS) {
    const start = source.indexOf(word);
    if (start >= 0 && isOutsideComment(source, start)) say(start, start + word.length);
  }
  for (const start of /fromC(?:har|odeP)/.test(source) ? shifted(source) : [])
    say(start, start + PLAIN.length);
  for (const { index, 0: found } of source.matchAll(NUMBERS)) {
    const numbers = found.split(",", MAX_NUMBERS).map(Number);
    if (WORDS.some((word) => spells(numbers, word))) say(index, index + found.length);
  }
}

/** Whether a position is not in a comment on a line of its own. */
function isOutsideComment(source: string, at: number): boolean {
  const line = source.slice(Math.max(source.lastIndexOf("\n", at) + 1, at - 200), at).trimStart();
  return !/^(?:\/\/|\/?\*)/.test(line);
}

/** Positions of addresses whose letters are all shifted, or XORed, by the same number. */
function shifted(source: string): number[] {
  const found: number[] = [];
  const at = (index: number) => source.charCodeAt(index);
  // The second and third letters of an address are both `t`, so they stay equal in such a code.
  for (let index = 1; index + 6 < source.length && found.length < MAX_FINDINGS; index++) {
    const letter = at(index);
    if (letter !== at(index + 1) || letter === 116 || letter <= 32) continue;
    const start = index - 1;
    const is = (word: number[], of: (known: number) => number) =>
      word.every((known, place) => at(start + place) === of(known));
    const [by, mixed] = [letter - 116, letter ^ 116];
    if (at(start) - 104 === by && (is(SECURE, (known) => known + by) || is(PLAIN, (known) => known + by)))
      found.push(start);
    else if ((at(start) ^ 104) === mixed && (is(SECURE, (k) => k ^ mixed) || is(PLAIN, (k) => k ^ mixed)))
      found.push(start);
  }
  return found;
}

/** Whether numbers are the letters of a word: multiplied and shifted, XORed, as differences, reversed, or every nth number. */
function spells(numbers: readonly number[], word: readonly number[]): boolean {
  for (let step = 1; step <= 3; step++) {
    for (const turned of [false, true]) {
      for (let start = 0; start + (word.length - 1) * step < numbers.length; start++) {
        const get = (place: number) =>
          numbers[start + (turned ? word.length - 1 - place : place) * step] ?? 0;
        if (isAffine(get, word) || (step === 1 && !turned && isDifferenceEncoded(get, word))) return true;
      }
    }
  }
  return false;
}

function isAffine(get: (place: number) => number, word: readonly number[]): boolean {
  const [first = 0, second = 0] = word;
  const mixed = get(0) ^ first;
  const factor = (get(1) - get(0)) / (second - first);
  const start = get(0) - factor * first;
  return (
    (factor !== 0 && word.every((known, place) => get(place) === factor * known + start)) ||
    (mixed >= 0 && word.every((known, place) => (get(place) ^ known) === mixed)) ||
    // Shifted or XORed by the index of the letter.
    word.every((known, place) => get(place) - known === get(0) - first + place) ||
    word.every((known, place) => get(place) - known === get(0) - first - place) ||
    word.every((known, place) => (get(place) ^ place) === (known ^ mixed))
  );
}

/** Whether each number is the difference to the letter before. */
function isDifferenceEncoded(get: (place: number) => number, word: readonly number[]): boolean {
  return word.every((known, place) => place === 0 || get(place) === known - (word[place - 1] ?? 0));
}
