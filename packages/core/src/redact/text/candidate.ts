import { CREDENTIAL_WORD, isIdentifier } from "../evidence/credential-value.ts";
import {
  isDigest,
  isGibberish,
  isMixedPassword,
  isMixedThroughout,
  isPasswordLike,
  looksRandom,
  looksSecret,
} from "../evidence/entropy.ts";
import { isTranslation } from "../evidence/label.ts";
import { isPlaceholder } from "../evidence/placeholder.ts";
import { isProductName, isTypeName } from "../evidence/type-and-file-names.ts";
import type { Literal } from "./expression.ts";
import { type Name, ownPart } from "./names.ts";
import { DASHES, EQUALS, LINE, SIGN, STRING, type Tokens, WORD } from "./tokens.ts";

/** A value that may be a secret: the secret part, and the whole value. */
export interface Candidate {
  t: Tokens;
  name: Name;
  /** The position of the secret. */
  literal: Literal;
  secret: string;
  whole: string;
  separator: number;
}

/** Words of code that begin an expression. */
const KEYWORDS = new Set(
  "new await async function return typeof yield this self super import lambda not".split(" "),
);
/** Code, not a value: the rest of a concatenation or an expression, or the dashes before a private key. */
const CODE = /^\+[A-Za-z_$]|^--|^[!/#][\^\w(!]|[\w)]\[/;
/** Capitalized words: a type or a class. */
const TYPE = /^(?:[A-Z][a-z]{2,}\d{0,2}){2,}$/;
/** A member of an object, possibly with the name of its type. */
const MEMBER = /^[A-Za-z_$][\w$]*(?:[!?]?\.[A-Za-z_$][\w$]*)+(?::\w+)?$/;

/** Returns whether a value without quotes is a secret, not a word of prose or an expression of code. */
export function isBareSecret({ t, name, literal, secret, separator }: Candidate): boolean {
  const { text } = t;
  const { start, end } = literal;
  const assigned = separator === 61;
  if (secret.length < 3 || isPlaceholder(secret) || separator === EQUALS || KEYWORDS.has(secret))
    return false;
  if (!assigned && (isTypeName(secret) || isProductName(secret))) return false;
  if (isCodeWord(t, name, literal, separator)) return false;
  if (!name.query && isPasswordIn(name, secret)) return true;
  if (CODE.test(secret)) return false;
  // Capitalized words are a type or a class, except in `PGPASSWORD=GraniteViolet10`, a connection string or an option.
  if (TYPE.test(secret) && !name.variable)
    return name.password && /\d$/.test(secret) && (isConnection(text, start) || t.is(name.first - 1, DASHES));
  if (/^[{[(<$]|[({]/.test(secret)) return /\d/.test(secret) && name.variable && !/\w\(/.test(secret);
  if (name.query) return name.kind === "weak" ? looksSecret(secret) : secret.length >= 4;
  if (name.kind === "organization" || name.kind === "reference")
    return /\d/.test(secret) || /^[A-Z0-9-]{3,}$/.test(secret);
  if (!/[A-Za-z]/.test(secret)) return isNumber(name, secret, assigned, text.charCodeAt(end) === 59);
  const digits = /\d/.test(secret);
  if (name.variable && assigned) {
    const tight = text.charCodeAt(start - 1) !== 32;
    return (tight && opensStatement(t, name.first)) || digits || !isIdentifier(secret);
  }
  if (isConnection(text, start)) return true;
  if (!digits && !/[!@#$%^&*+~]/.test(secret.slice(0, -1)))
    return (looksSecret(secret) && !isIdentifier(secret)) || isGibberish(secret);
  if (secret.length < 6) return false;
  if (MEMBER.test(secret) && !looksRandom(secret) && !isMixedThroughout(secret)) return false;
  if (name.kind === "weak" || name.kind === "token") return looksSecret(secret) || isDigest(secret);
  return !/^[a-z]+\d{0,2}$/i.test(secret) || separator !== 58 || /^[a-z]{2,}\d{1,4}$/i.test(secret);
}

const isPasswordIn = (name: Name, secret: string): boolean =>
  (name.password && isPasswordLike(secret)) ||
  ((name.password || name.kind === "strong") && isMixedPassword(secret));

/** Returns whether a value without letters is long enough for a secret. After `=`, or for a pin, four digits are enough. */
function isNumber(name: Name, secret: string, assigned: boolean, ends: boolean): boolean {
  if (name.kind === "token" && (secret.length < 8 || ends)) return false;
  if (!/^\d+$/.test(secret)) return secret.length >= 6 && /\d/.test(secret);
  return secret.length >= (assigned || name.kind === "pin" ? 4 : 6);
}

/** Returns whether a name is at the beginning of a line, or after `export`, `ENV`, `;` and the like. */
function opensStatement(t: Tokens, first: number): boolean {
  const before = t.kindAt(first - 1);
  if (first === 0 || before === LINE || (before === SIGN && t.isOneOf(first - 1, ";$`\"'&|:"))) return true;
  return before === WORD && /^(?:export|set|setx|ENV|ARG|env|e)$/.test(t.textAt(first - 1));
}

/** Returns whether a value is a name in code, without quotes: `token = next1;`, `{ token: token2 }`, `f(password=pw1)`. */
function isCodeWord(t: Tokens, name: Name, { start, end }: Literal, separator: number): boolean {
  const secret = t.text.slice(start, end);
  if (!/^[%?]?[A-Za-z_$][\w$]*$/.test(secret)) return false;
  const word = secret.replace(/^[%?]/, "");
  // The value is a variable with the same name: `this.secretB16.value = secretB16`, `credentialId: credentialIdBase64`.
  if (word.length >= 4 && (name.text.includes(word) || word.startsWith(name.text))) return true;
  // The value is a condition, as in `isOAuth2 ? a : b`.
  if (/^\s{1,30}\?(?![?.])\s/.test(t.text.slice(end, end + 40))) return true;
  if (!/[;)}\]{(]/.test(t.text[end] ?? "")) return false;
  if (separator === 61 && isConnection(t.text, start)) return false;
  return secret.length < 16 || !looksRandom(secret);
}

/** Returns whether a value is one of several settings: `Server=…;User Id=…;Password=…`, `host=… user=… password=…`. */
function isConnection(text: string, at: number): boolean {
  if (text.charCodeAt(at - 1) === 32) return false;
  return /(?:^|[;\s"'])(?:server|data source|host|hostname|endpoint|user id|uid|username|database|dbname|accountname|defaultendpointsprotocol|initial catalog|user)\s?=[^=\n]{1,80}[;\s]/i.test(
    text.slice(Math.max(0, at - 160), at),
  );
}

/** Names of states, events, scopes, columns and settings: `autoLogin`, `auth.token`, `expires_at`, `STORAGE_KEY_NAME`. */
const ORDINARY =
  /^\??[a-z]{2,30}(?:[A-Z][a-z]+)+$|^[a-z]{2,30}(?:[.:][a-z][a-z\d]{1,30}){1,5}$|^[a-z]{2,20}(?:_[a-z]{2,20}){0,4}_(?:at|id|name|type|url|by|on|field|column|hash)$|^[A-Z]{2,16}(?:_[A-Z]{2,16})+$/;
/** A member of the data that fills a template, such as `form.token`. */
const TEMPLATE_MEMBER = /^[A-Za-z_$][\w$]*(?:[?!]?\.[A-Za-z_$][\w$]*)*$/;

/** Returns whether a literal is harmless, although the name beside it is that of a credential. */
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
  // A member of a union type: `type Token = "NUL" | "ASCII"`.
  if (t.is(next, 124) && t.kindAt(next + 1) === STRING) return true;
  const own = ownPart(name.text);
  if (!name.password && /(?:token|key)$/i.test(own) && ORDINARY.test(whole))
    return !isGibberish(whole.replace("?", ""));
  // A constant whose name ends with its value: `USER_RESET_PASSWORD = "reset_password"`.
  if (whole.length >= 8 && /[_-]/.test(whole) && unified(own).endsWith(unified(whole))) return true;
  return isBound(t, name) && TEMPLATE_MEMBER.test(whole);
}

const unified = (text: string): string => text.toLowerCase().replaceAll("-", "_");

/** Returns whether the name is bound to an expression of a template: `:password="modelValue"`, `[token]="form.token"`. */
function isBound(t: Tokens, { first, last, quoted }: Name): boolean {
  if (quoted || !t.isOneOf(first - 1, ":[") || !t.touches(first - 1)) return false;
  return t.is(first - 1, 91) ? t.is(last + 1, 93) : !t.touches(first - 2);
}
