import type { Span } from "../types.ts";

/** Names for the recovery words of a wallet, up to the end of such a name. */
const NAME =
  /(?:mnemonic|(?:seed|recovery|backup|secret|wallet|srp|wiederherstellungs)[ _-]?(?:phrase|words)|(?:from|set|import)_?phrase|hdwallet\w{0,12})$/i;
/** What may be between the name and the first word. */
const BETWEEN =
  /[\])"'`*]{0,4}(?:\s{0,2}(?:is|are|was|:|=|:=|=>|->|→|\|)\s{0,2}|\s{0,2}\(\s{0,4}|\s{0,4}\r?\n)[\s"'`*>|[({]{0,16}/y;
/** Words of three to eight small letters, possibly numbered. */
const WORDS =
  /(?:1[.)] ?)?[a-z]{3,8}(?:,?[ \t]{0,2}(?:[ ,]|\r?\n)[ \t]{0,8}(?:\d{1,2}[.)] ?)?[a-z]{3,8}){11,23}(?![\w-]|[ ,]{1,2}[A-Za-z]{1,20}\b)/y;
/** The same as a list of literals. */
const LIST = /[a-z]{3,8}(?:["'`]\s{0,2},\s{0,16}["'`][a-z]{3,8}){11,23}(?=["'`]\s{0,16}[\])}])/y;
/** Words of sentences that are not in the list of words for wallets. */
const OF_PROSE =
  /\b(?:the|and|for|are|not|your|from|our|was|has|were|which|into|its|how|any|them|their|his|her|but|should|would|could|does|please|must|cannot|write|down|store|never|always|each|every|user|words?|phrase|backup|wallets)\b/;
const LENGTHS = new Set([12, 15, 18, 21, 24]);

/** For the last letter of such a name, its third letter from the end: mnemonic, phrase, words, HDWalletProvider. A quick first test. */
export const ENDS_NAME = new Uint8Array(128);
for (const [last = "", third = ""] of ["cn", "ea", "sr", "rd"]) {
  ENDS_NAME[last.charCodeAt(0)] = third.charCodeAt(0);
  ENDS_NAME[last.toUpperCase().charCodeAt(0)] = third.charCodeAt(0);
}

/** The twelve to twenty-four words of a wallet after the name that ends at `end`. */
export function mnemonicAfter(text: string, end: number): Span | null {
  // One more letter is compared before the pattern is tried: the o of mnemonic, the r of phrase, the o of words, the i of provider.
  const fourth = text.charCodeAt(end - 4) | 32;
  if (fourth !== 111 && fourth !== 114 && fourth !== 105) return null;
  if (!NAME.test(text.slice(Math.max(0, end - 32), end))) return null;
  BETWEEN.lastIndex = end;
  if (!BETWEEN.test(text)) return null;
  const start = BETWEEN.lastIndex;
  WORDS.lastIndex = start;
  LIST.lastIndex = start;
  const words = (WORDS.exec(text) ?? LIST.exec(text))?.[0];
  return words === undefined || !isMnemonic(words)
    ? null
    : { start, end: start + words.length, rule: "credential-name" };
}

/** Twelve, fifteen, eighteen, twenty-one or twenty-four short words that make no sentence. */
export function isMnemonic(text: string): boolean {
  if (text.length < 47 || text.length > 400 || OF_PROSE.test(text)) return false;
  const words = text.match(/[A-Za-z]+/g) ?? [];
  // `test test … junk` and the like are public test phrases.
  if (new Set(words).size < 5) return false;
  return LENGTHS.has(words.length) && words.every((word) => /^[a-z]{3,8}$/.test(word));
}
