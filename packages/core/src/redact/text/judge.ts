import { isCredentialCell } from "../evidence/cell.ts";
import { credentialIn, isIdentifier, isPlainName, NAMED } from "../evidence/credential-value.ts";
import {
  isGibberish,
  isMixedPassword,
  isPasswordLike,
  isUuid,
  looksRandom,
  looksSecret,
} from "../evidence/entropy.ts";
import type { NameKind, Span } from "../types.ts";
import { type Candidate, isBareSecret, isOrdinaryLiteral } from "./candidate.ts";
import type { Literal } from "./expression.ts";
import type { Name } from "./names.ts";
import { isBeside, isSaid } from "./said.ts";
import type { Tokens } from "./tokens.ts";

/**
 * The place of a value relative to its name, from the most certain to the least certain:
 * - `value`: it is assigned to the name;
 * - `described`: it is the `value` or `default` in a description of the name: `{ name: "token", value: "x" }`;
 * - `setting`: only a space separates it from the name, in a command or a line of configuration;
 * - `pair`: it is the next argument of a call, or the next element of a list;
 * - `cell`: it is a cell of a table, or the content of a neighbouring element of markup;
 * - `inner`: it is anywhere in an expression, such as a call;
 * - `said`: a sentence says that it is the value of the name; `beside`: it is only near the name in a sentence.
 */
export type Place = "value" | "described" | "setting" | "pair" | "cell" | "inner" | "said" | "beside";

/** The fingerprint or the id of a public key, which is no secret: `GPG_KEY=0x7D061A4A…`. */
const FINGERPRINT = /^(?:0x)?(?:[\dA-F]{8}|[\dA-F]{16}|[\dA-F]{40})$/i;

/** Returns the part of a literal that is a credential, judged by the name, the literal and its place. Null when there is none. */
export function judge(t: Tokens, name: Name, literal: Literal, place: Place, separator: number): Span | null {
  const { text } = t;
  const whole = text.slice(literal.start, literal.end);
  if (whole.length < 3 || (!literal.quoted && !/[A-Za-z0-9]/.test(whole))) return null;
  const certain = name.password
    ? isPasswordLike(whole)
    : name.query && isUuid(whole) && /key$/i.test(name.text);
  const kind = certain ? "strong" : name.kind;
  const found = credentialIn(kind, whole);
  if (found === null) return null;
  const secret = text.slice(literal.start + found.start, literal.end).trim();
  if (FINGERPRINT.test(secret) && /(?:gpg|pgp)[_-]?key$/i.test(name.text)) return null;
  const start = text.indexOf(secret, literal.start + found.start);
  const end = start + secret.length;
  if (!isCredential({ t, name, literal: { ...literal, start, end }, whole, secret, separator }, kind, place))
    return null;
  const prose = place === "said" || place === "beside";
  return { start, end, rule: prose ? "prose-credential" : name.query ? "url-parameter" : NAMED[name.kind] };
}

function isCredential(candidate: Candidate, kind: NameKind, place: Place): boolean {
  const { name, whole, secret } = candidate;
  const { quoted } = candidate.literal;
  switch (place) {
    case "value":
      return quoted ? !isOrdinaryLiteral(candidate) : isBareSecret(candidate);
    case "described":
      if (isCertain(name, secret) || isUuid(secret)) return true;
      return /[\d!@#$%^&*]./.test(secret) && !isPlainName(secret) && !isOrdinaryLiteral(candidate);
    case "setting":
      return isSetting(secret) || ((quoted || name.variable) && /^\S+$/.test(secret) && /\d/.test(secret));
    case "pair":
      if (isCertain(name, secret) || isUuid(secret)) return true;
      return (
        (looksSecret(secret) && !isPlainName(secret)) ||
        ((name.variable || name.password) && kind === "strong" && isDrawn(secret))
      );
    case "cell":
      return isCredentialCell(kind, name.text, secret);
    case "inner":
      // The id of an object is no credential, as in `session = get("sess_…")`.
      return isCertain(name, whole) && !(name.kind === "weak" && /^[a-z]{2,8}_/.test(whole));
    case "said":
      return isSaid(secret);
    case "beside":
      return isBeside(name, secret);
    default:
      return place satisfies never;
  }
}

/** Returns whether a word is almost certainly a secret, whatever text is between the name and the word. */
export function isCertain(name: Name, word: string): boolean {
  if (name.password && isPasswordLike(word)) return true;
  if (/\s/.test(word) || (isPlainName(word) && word.length < 20) || isUuid(word)) return false;
  // The address of a blockchain account is public.
  if (/^0x[\da-fA-F]{40}$/.test(word)) return false;
  if (isMixedPassword(word) || (name.password && /\d/.test(word) && looksSecret(word))) return true;
  return looksRandom(word) && word.length >= 12;
}

/** Returns whether a word has digits, signs or irregular case. Without these, a word after a name and a space may be prose. */
function isSetting(word: string): boolean {
  if (/^[A-Za-z_]+[(=:]|^[-/.<>|&]|[(){}]/.test(word)) return false;
  return (
    (/\d/.test(word) && looksSecret(word)) ||
    /[A-Za-z0-9][!@#$%^&*+?][A-Za-z0-9]/.test(word) ||
    isGibberish(word) ||
    isMixedPassword(word)
  );
}

/** Returns whether a text looks randomly chosen: it has digits and is no numbered word such as `step1`, or it has irregular case. */
function isDrawn(text: string): boolean {
  return text.length >= 8 && !/\s/.test(text) && (/\d/.test(text) ? !isIdentifier(text) : isGibberish(text));
}
