import { ABOUT_VALUE } from "../evidence/credential-value.ts";
import {
  isDigest,
  isGibberish,
  isMixedPassword,
  isMixedThroughout,
  isUuid,
  looksRandom,
  looksSecret,
} from "../evidence/entropy.ts";
import { isProductName, isTypeName } from "../evidence/type-and-file-names.ts";
import type { Name } from "./names.ts";

/** No secrets: algorithms, numbers with a unit (`10px`, `2nd`), addresses and packages (`zod@4.1`), shortcuts, `Base64Encoder`. */
const OTHER = [
  /^(?:sha|md|aes|rsa|utf|base|oauth|http|v|ipv|es|hs|rs|ed|x|p|ec|h)-?\d+\w{0,3}$/i,
  /^\d+(?:[-–]\w+|st|nd|rd|th|px|em|rem|[kmg]b|ms|min|s|h|d|k|m|x|%|bits?|bytes?|chars?|characters?|tokens?|days?|hours?|months?|years?)$/i,
  /^[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,12}$|^[\w.-]+@[\^~]?v?\d+\.\d/,
  /^(?:ctrl|control|cmd|command|alt|option|shift|super|win|meta)\+/i,
  /^[A-Z][a-z]{2,}\d{0,2}[A-Z][a-z]{3,}\w*$/,
];
/** A dotted name of code, such as `user.token1`. Such a word in a sentence is no secret, unless it looks random. */
const DOTTED = /^[A-Za-z_$][\w$-]*(?:\.[\w$-]+)+$/;

/** Returns whether a word in a sentence looks like a secret: it is random, or mixes letters and digits without being one of OTHER. */
export function isSaid(word: string): boolean {
  if (/[[\](){}\\]/.test(word) || ABOUT_VALUE.test(word) || OTHER.some((other) => other.test(word)))
    return false;
  if (DOTTED.test(word) && !isMixedThroughout(word) && !looksRandom(word)) return false;
  if (isMixedPassword(word)) return true;
  if (/[/=]/.test(word) && !(word.length >= 20 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(word) && looksRandom(word)))
    return false;
  if (isGibberish(word)) return true;
  if (isTypeName(word) || isProductName(word) || !/\d/.test(word) || !/\p{L}/u.test(word)) return false;
  return word.length >= 5 && (looksSecret(word) || word.length < 20);
}

/** Returns whether a word directly after the name, without a verb, is a secret: a random word, or a password with digits and signs. */
export function isBeside(name: Name, word: string): boolean {
  if (!isSaid(word) || isUuid(word)) return false;
  // A digest is a secret in `API key <32 hex digits>`, but not after `cache key`, which is no credential's name.
  if (isDigest(word))
    return name.kind === "strong" && !name.password && word.length !== 40 && /key$/i.test(name.text);
  if (looksRandom(word) || isMixedThroughout(word)) return true;
  if (/\w[!@#$%^*+]\w/.test(word) && /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word)) return true;
  return name.password && word.length >= 8 && /\d/.test(word) && /[A-Z!@#$%^&*]/.test(word);
}
