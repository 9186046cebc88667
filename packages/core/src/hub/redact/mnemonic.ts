import { REDACTED } from "./named-value.ts";
import type { Report } from "./scan-text.ts";

/** What announces a wallet's words, and up to 24 characters before the first of them. */
const ANNOUNCED =
  /(?:mnemonics?|(?:seed|recovery|backup|secret|wallet|srp)[ _-]?(?:phrases?|words)|(?:from|set|import)_?phrase|hdwallet\w{0,12})\b[\])"'`*]{0,4}(?:\s{0,2}(?:is|are|was|:|=|:=|=>|->|→|\|)\s{0,2}|\s{0,2}\(\s{0,4}|\s{0,4}\r?\n)[\s"'`*>|\[({]{0,16}/gi;
/** Words of three to eight small letters, perhaps numbered. */
const WORDS =
  /(?:1[.)] ?)?[a-z]{3,8}(?:,?[ \t]{0,2}(?:[ ,]|\r?\n)[ \t]{0,8}(?:\d{1,2}[.)] ?)?[a-z]{3,8}){11,23}(?![\w-]|[ ,]{1,2}[A-Za-z]{1,20}\b)/y;
/** The same as a list of literals. */
const LIST = /[a-z]{3,8}(?:["'`]\s{0,2},\s{0,16}["'`][a-z]{3,8}){11,23}(?=["'`]\s{0,16}[\])}])/y;
/** Words of sentences that the list of words for wallets has not. */
const OF_PROSE =
  /\b(?:the|and|for|are|not|your|from|our|was|has|were|which|into|its|how|any|them|their|his|her|but|should|would|could|does|please|must|cannot|write|down|store|never|always|each|every|user|words?|phrase|backup|wallets)\b/;
const LENGTHS = new Set([12, 15, 18, 21, 24]);

/** What one of the announcements contains, looked for before it. */
const STEMS = ["nemonic", "NEMONIC", "hrase", "HRASE", "eed words", "eed_words", "HDWallet"];

/** Takes out the twelve to twenty-four words from which a wallet is made, where they are announced. */
export function redactMnemonics(text: string, report: Report): string {
  if (text.length < 48 || !STEMS.some((stem) => text.includes(stem))) return text;
  let out = "";
  let kept = 0;
  for (const match of text.matchAll(ANNOUNCED)) {
    const start = match.index + match[0].length;
    if (start < kept) continue;
    WORDS.lastIndex = start;
    LIST.lastIndex = start;
    const found = (WORDS.exec(text) ?? LIST.exec(text))?.[0];
    if (found === undefined || !isMnemonic(found)) continue;
    report("credential-name");
    out += text.slice(kept, start) + REDACTED;
    kept = start + found.length;
  }
  return kept === 0 ? text : out + text.slice(kept);
}

/** Twelve, fifteen, eighteen, twenty-one or twenty-four short words that make no sentence. */
export function isMnemonic(text: string): boolean {
  if (text.length < 47 || text.length > 400 || OF_PROSE.test(text)) return false;
  const words = text.match(/[A-Za-z]+/g) ?? [];
  return LENGTHS.has(words.length) && words.every((word) => /^[a-z]{3,8}$/.test(word));
}
