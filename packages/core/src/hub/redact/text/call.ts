import { isPlainName, REDACTED } from "../evidence/credential-value.ts";
import { isDigest, isMixedThroughout, isUuid, looksRandom, looksSecret } from "../evidence/entropy.ts";
import { isPlaceholder } from "../evidence/placeholder.ts";
import type { Budget, Span } from "../types.ts";
import { callKind } from "./call-names.ts";

/** How far the arguments of a call are read, and how many. */
const FAR = 400;
const MOST = 6;
interface Literal {
  place: number;
  start: number;
  end: number;
}

/**
 * The key or password among the arguments of the call whose bracket is at `at`: `new OpenAI("…")`, `setToken("…")`,
 * `login("bob", "…")`, `createClient(url, "…")`. Only values that are almost certainly secrets.
 */
export function callAt(text: string, at: number, budget: Budget): Span | null {
  if (at < 3 || budget.characters <= 0) return null;
  if (text.charCodeAt(at + 2) === 65 && text.charCodeAt(at + 3) === 67) {
    TWILIO.lastIndex = at;
    const token = TWILIO.exec(text)?.[1];
    const end = TWILIO.lastIndex;
    if (token !== undefined) return { start: end - token.length, end, rule: "credential-name" };
  }
  const { kind, lone } = isRequired(text, at) ? { kind: "key" as const, lone: false } : callKind(text, at);
  if (kind === null) return null;
  budget.characters -= 64;
  const literals = literalsAt(text, at + 1);
  const found = literals.find(({ place, start, end }) => {
    const word = text.slice(start, end);
    if (!mayBeSecret(word)) return false;
    if (place === 0) return (kind === "key" || (lone && literals.length === 1)) && isKey(word);
    if (kind === "second") return place === 1 && isKey(word);
    return kind === "password" && place < 4 && isPassword(word);
  });
  return found === undefined ? null : { start: found.start, end: found.end, rule: "credential-name" };
}

/** The identifier of an account of Twilio as the first argument, and its token as the second. */
const TWILIO = /\(["'`]AC[0-9a-f]{32}["'`],\s{0,24}["'`]([0-9a-f]{32})(?=["'`])/y;

/** `require("stripe")("…")`. */
function isRequired(text: string, at: number): boolean {
  return (
    text.charCodeAt(at - 1) === 41 &&
    /require\(["'](?:stripe|twilio|plaid|openai|@sendgrid\/mail|mailgun-js|postmark)["']\)$/.test(
      text.slice(Math.max(0, at - 40), at),
    )
  );
}

/** The literals that are whole arguments, with their positions. */
function literalsAt(text: string, from: number): Literal[] {
  const found: Literal[] = [];
  const limit = Math.min(text.length, from + FAR);
  let place = 0;
  let depth = 0;
  let fresh = true;
  for (let i = from; i < limit && place < MOST; i++) {
    const c = text.charCodeAt(i);
    if (c === 34 || c === 39 || c === 96) {
      const end = text.indexOf(text[i] as string, i + 1);
      if (end < 0 || end > limit) break;
      const after = /^\s{0,24}([,)])/.exec(text.slice(end + 1, end + 26))?.[1];
      if (fresh && depth === 0 && after !== undefined) found.push({ place, start: i + 1, end });
      i = end;
      fresh = false;
    } else if (c === 40 || c === 91 || c === 123) depth++;
    else if (c === 41 || c === 93 || c === 125) {
      if (--depth < 0) break;
    } else if (c === 44 && depth === 0) {
      place++;
      fresh = true;
    } else if (c === 59 && depth === 0) break;
    else if (c > 32 && !(c === 98 || c === 114 || c === 117 || c === 102 || c === 38)) fresh = false;
  }
  return found;
}

function mayBeSecret(word: string): boolean {
  return (
    word.length >= 6 &&
    !/[\s\\{}()<>]/.test(word) &&
    !word.includes(REDACTED) &&
    !/^[a-z][\w+.-]{0,20}:|^[./~#@]|\.(?:[a-z]{2,4}|json|html)$/i.test(word) &&
    !isPlainName(word) &&
    !isUuid(word) &&
    !isPlaceholder(word)
  );
}

/** A long random word; hex with the length of a digest does not count. */
function isKey(word: string): boolean {
  if (word.length < 20 || word.length > 400 || !/^[\w+/=.~:|-]+$/.test(word)) return false;
  if (isDigest(word) || /^0x[0-9a-f]+$/i.test(word) || /^[0-9a-f]{24}$/i.test(word)) return false;
  if (/^[a-z]+(?:[-_./:][a-z\d]+)*$/i.test(word) && !/[A-Za-z\d]{16}/.test(word)) return false;
  return looksRandom(word);
}

/** Letters with digits, and a sign or irregular case. */
function isPassword(word: string): boolean {
  if (/^[\w.+-]+@[\w-]+\.\w/.test(word) || !/\d/.test(word) || !/[A-Za-z]/.test(word) || isDigest(word))
    return false;
  if (/^[\w.-]+[/:]/.test(word)) return false;
  if (/^[a-z\d]+(?:[-_.][a-z\d]+)+$/i.test(word)) return isMixedThroughout(word);
  return word.length >= 8 ? looksSecret(word) : /[!@#$%^&*+?]/.test(word) && /[A-Z]/.test(word);
}
