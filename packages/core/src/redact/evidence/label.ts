import { isGibberish, looksSecret } from "./entropy.ts";

/** Placeholders in labels: `{name}`, `{{count}}`, `%s`, `$t(x)`, tags and entities. */
const INSERTED =
  /\{{1,2}[^{}]{0,60}\}{1,2}|%(?:\d\$)?[sd@]|\$t\([^()]{0,60}\)|<\/?[A-Za-z][^<>]{0,80}>|&[a-z]{2,8};/g;
/** A text of only letters of any script with their marks, joiners, spaces and punctuation. */
const WRITTEN =
  /^[\p{L}\p{M}\s\u200b-\u200f\u00b7\u0964\u0965\u2192\u2022\u30fb\u3001-\u303f\uff01-\uff1f.,:;!?¿¡…()[\]"'“”„«»‘’`´/&–—_*+>|-]+$/u;
const FOREIGN_LETTER = /(?=\P{ASCII})\p{L}/u;
/** Scripts without capital letters: Hebrew to Thai and later ones, Georgian, Hangul, kana, ideographs. */
const CASELESS =
  /[\u0590-\u109f\u10d0-\u10ff\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/u;
const CASELESS_RUN = new RegExp(`(?:${CASELESS.source}|[\\u3001-\\u303f\\uff01-\\uff1f])+`, "gu");
const LONGEST = 600;

/** Returns whether a value is a text for people, with letters beyond ASCII. `isTranslation` also accepts a text in ASCII letters. */
export function isForeignLabel(value: string): boolean {
  if (!FOREIGN_LETTER.test(value) || value.length > LONGEST) return false;
  const text = value.replace(INSERTED, " ").trim();
  if (text.length < 2 || !WRITTEN.test(text) || isGibberish(text) || !hasPlainWords(text)) return false;
  if (CASELESS.test(text)) return true;
  // In scripts with capitals, the text must begin with a capital. A single word must be Latin, with a small letter after the capital.
  return /\s/.test(text)
    ? /^[^\p{L}]{0,3}\p{Lu}/u.test(text)
    : /^\p{Lu}[\p{Ll}\p{M}]/u.test(text) && isLatin(text);
}

/** Returns whether a value may be a text for people in any language: it consists of plain words, without a secret in it. */
export function isTranslation(value: string): boolean {
  if (value.length > LONGEST * 4) return false;
  const text = value.replace(INSERTED, " ").trim();
  if (text === "") return true;
  const words = text.replace(CASELESS_RUN, " ").split(/\s+/);
  if (words.length === 1 && (!WRITTEN.test(text) || /^[a-z]+_\w+$/.test(text))) return false;
  return words.every((word) => word === "" || isPlainWord(word)) && hasPlainWords(text);
}

/** Returns whether a word is letters with signs around them, an ordinary number, or a short name such as `OAuth2` or `Base64`. */
function isPlainWord(word: string): boolean {
  return (
    WRITTEN.test(word) ||
    /^[^\p{L}\d]{0,3}\d{1,4}(?:[.,:]\d{1,4}){0,2}[^\p{L}\d]{0,3}\p{L}{0,3}[^\p{L}\d]{0,3}$/u.test(word) ||
    /^[("'`«„“]{0,2}\d{1,4}\p{Ll}{4,14}[^\p{L}\d]{0,3}$/u.test(word) ||
    /^[("'`«„“]{0,2}[A-Za-z]{1,6}-?\d{1,3}(?:\.\d)?[^\p{L}\d]{0,3}$/u.test(word)
  );
}

function hasPlainWords(text: string): boolean {
  return text
    .split(/[\s/_-]+/)
    .every((word) => !isGibberish(word) && !(/^[\w-]{8,}$/.test(word) && looksSecret(word)));
}

function isLatin(text: string): boolean {
  return /^[\p{Script=Latin}\P{L}]+$/u.test(text);
}
