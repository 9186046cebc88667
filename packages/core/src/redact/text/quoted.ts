import { CREDENTIAL_WORD } from "../evidence/credential-value.ts";
import { looksSecret } from "../evidence/entropy.ts";
import { isGibberish } from "../evidence/gibberish.ts";
import { isTranslation } from "../evidence/label.ts";
import type { Candidate } from "./bare.ts";
import { type Name, ownPart } from "./names.ts";
import { EQUALS, STRING, type Tokens } from "./tokens.ts";

/** Names of states, events, scopes, columns and settings: `autoLogin`, `auth.token`, `expires_at`, `STORAGE_KEY_NAME`. */
const ORDINARY =
  /^\??[a-z]{2,30}(?:[A-Z][a-z]+)+$|^[a-z]{2,30}(?:[.:][a-z][a-z\d]{1,30}){1,5}$|^[a-z]{2,20}(?:_[a-z]{2,20}){0,4}_(?:at|id|name|type|url|by|on|field|column|hash)$|^[A-Z]{2,16}(?:_[A-Z]{2,16})+$/;
/** A member of the data of a template. */
const MEMBER = /^[A-Za-z_$][\w$]*(?:[?!]?\.[A-Za-z_$][\w$]*)*$/;

/** Returns whether a literal under a credential's name is not one: code, prose between two literals, one of several types, or a name. */
export function isOrdinaryLiteral({ t, name, literal, whole, separator }: Candidate): boolean {
  const { first, next } = literal;
  // Text between two literals, where a closing quote looks like an opening one, or text after an address in a sentence.
  if (/^\s?(?:[),;\]}]|\+\s)/.test(whole) || (name.query && /^\s/.test(whole))) return true;
  // A sentence between typographic quotes.
  if ((t.sign[first] as number) > 127 && /\S\s+\S/.test(whole)) return true;
  // A label in another language.
  if (/[^\w-]/.test(whole) && CREDENTIAL_WORD.test(whole) && isTranslation(whole)) return true;
  if (separator === EQUALS) return !looksSecret(whole);
  // A shell command: `KEY=`openssl rand -hex 32``.
  if (t.sign[first] === 96 && /^[a-z][\w./-]*\s/.test(whole)) return true;
  // One of several types: `type Token = "NUL" | "ASCII"`.
  if (t.is(next, 124) && t.kindAt(next + 1) === STRING) return true;
  const own = ownPart(name.text);
  if (!name.password && /(?:token|key)$/i.test(own) && ORDINARY.test(whole))
    return !isGibberish(whole.replace("?", ""));
  // A constant that has the name of its value: `USER_RESET_PASSWORD = "reset_password"`.
  if (whole.length >= 8 && /[_-]/.test(whole) && unified(own).endsWith(unified(whole))) return true;
  return isBound(t, name) && MEMBER.test(whole);
}

const unified = (text: string): string => text.toLowerCase().replaceAll("-", "_");

/** Returns whether the name is bound to an expression of a template: `:password="modelValue"`, `[token]="form.token"`. */
function isBound(t: Tokens, { first, last, quoted }: Name): boolean {
  if (quoted || !t.isOneOf(first - 1, ":[") || !t.touches(first - 1)) return false;
  return t.is(first - 1, 91) ? t.is(last + 1, 93) : !t.touches(first - 2);
}
