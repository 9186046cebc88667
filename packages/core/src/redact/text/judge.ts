import { isCredentialCell } from "../evidence/cell.ts";
import {
  ABOUT_VALUE,
  CREDENTIAL_WORD,
  credentialIn,
  isIdentifier,
  isPlainName,
  NAMED,
} from "../evidence/credential-value.ts";
import {
  isDigest,
  isMixedPassword,
  isMixedThroughout,
  isUuid,
  looksRandom,
  looksSecret,
} from "../evidence/entropy.ts";
import { isGibberish } from "../evidence/gibberish.ts";
import { isTranslation } from "../evidence/label.ts";
import { isPlaceholder } from "../evidence/placeholder.ts";
import { isProductName, isTypeName } from "../evidence/type-and-file-names.ts";
import type { Span } from "../types.ts";
import type { Literal } from "./expression.ts";
import { type Name, ownPart } from "./names.ts";
import { EQUALS, LINE, SIGN, STRING, type Tokens } from "./tokens.ts";

/**
 * Where a value stands in relation to its name, from the surest place to the least sure:
 * - `value`: it is assigned;
 * - `setting`: only a space is between, in a command or a line of configuration;
 * - `pair`: the next argument or element;
 * - `cell`: a cell of a table, the next element;
 * - `inner`: anywhere in an expression, such as a call;
 * - `said`: a sentence says what it is; `beside`: a sentence only names it.
 */
export type Place = "value" | "setting" | "pair" | "cell" | "inner" | "said" | "beside";

/** The part of a literal that is a credential, by its name and its place; null when it is none. */
export function judge(t: Tokens, name: Name, literal: Literal, place: Place, separator: number): Span | null {
  const { text } = t;
  let { start, end } = literal;
  const whole = text.slice(start, end);
  if (whole.length < 3 || (!literal.quoted && !/[A-Za-z0-9]/.test(whole))) return null;
  const kind = name.query && isUuid(whole) && /key$/i.test(name.text) ? "strong" : name.kind;
  const found = credentialIn(kind, whole);
  if (found === null) return null;
  start += found.start;
  const secret = text.slice(start, end).trimEnd();
  end = start + secret.length;
  const span = { start, end, rule: name.query ? "url-parameter" : NAMED[name.kind] };
  switch (place) {
    case "value":
      return (
        literal.quoted
          ? !isNoLiteral(t, name, literal, whole, separator)
          : isBareLiteral(t, name, literal, secret, end, separator)
      )
        ? span
        : null;
    case "setting":
      return isSetting(secret) ||
        ((literal.quoted || name.variable) && /^\S+$/.test(secret) && /\d/.test(secret))
        ? span
        : null;
    case "pair":
      return isCertain(name, secret) ||
        (looksSecret(secret) && !isPlainName(secret)) ||
        isUuid(secret) ||
        (name.variable && kind === "strong" && isDrawn(secret))
        ? span
        : null;
    case "cell":
      return isCredentialCell(kind, name.text, secret) ? span : null;
    case "inner":
      return isCertain(name, whole) ? span : null;
    case "said":
      return isSaid(secret) ? { ...span, rule: "prose-credential" } : null;
    case "beside":
      return isBeside(name, secret) ? { ...span, rule: "prose-credential" } : null;
  }
}

/** Almost certainly a secret, whatever is between it and the name. */
export function isCertain(name: Name, word: string): boolean {
  if (/\s/.test(word) || (isPlainName(word) && word.length < 20) || isUuid(word)) return false;
  return (looksRandom(word) && word.length >= 12) || (name.password && /\d/.test(word) && looksSecret(word));
}

/** Letters with digits or signs, or of irregular case: in this place there may also be a word of prose. */
function isSetting(word: string): boolean {
  if (/^[A-Za-z_]+[(=:]|^[-/.<>|&]|[(){}]/.test(word)) return false;
  return (
    (/\d/.test(word) && looksSecret(word)) ||
    /[A-Za-z0-9][!@#$%^&*+?][A-Za-z0-9]/.test(word) ||
    isGibberish(word) ||
    isMixedPassword(word)
  );
}

/** Letters with digits that are not a numbered word, or of irregular case. */
function isDrawn(text: string): boolean {
  return text.length >= 8 && !/\s/.test(text) && (/\d/.test(text) ? !isIdentifier(text) : isGibberish(text));
}

// ---------------------------------------------------------------- literals

const FINGERPRINT = /^(?:0x)?(?:[\dA-F]{8}|[\dA-F]{16}|[\dA-F]{40})$/i;
/** The place where a token is kept, a column with a time. */
const PLACE =
  /^[a-z]{2,30}(?:[.:][a-z][a-z\d]{1,30}){0,4}[.:][a-z]{2,40}$|^[a-z]{2,20}(?:_[a-z]{2,20}){0,4}_(?:at|id|name|type|url|by|on|field|column|hash)$/;

/** Text in quotes that is no literal, or that is a name: code, prose between two literals, one of several types. */
function isNoLiteral(
  t: Tokens,
  name: Name,
  { first, next }: Literal,
  whole: string,
  separator: number,
): boolean {
  // Text between two literals, where a closing quote looks like an opening one.
  if (/^\s?(?:[),;\]}]|\+\s)/.test(whole)) return true;
  // A label in another language, a resource that is named.
  if (/[^\w-]/.test(whole) && CREDENTIAL_WORD.test(whole) && isTranslation(whole)) return true;
  if (whole.startsWith("arn:")) return true;
  if (FINGERPRINT.test(whole) && /(?:gpg|pgp)[_-]?key$/i.test(name.text)) return true;
  if (separator === EQUALS) return !looksSecret(whole);
  // The rest of a sentence: "`?apikey=` of an address, `x` …".
  if (name.query && /^\s/.test(whole)) return true;
  // A shell command: `KEY=`openssl rand -hex 32``.
  if (t.sign[first] === 96 && /^[a-z][\w./-]*\s/.test(whole)) return true;
  // Types: `type Token = "NUL" | "ASCII"`.
  if (t.is(next, 124) && t.kindAt(next + 1) === STRING) return true;
  const own = ownPart(name.text);
  // The name of a state or an event: `token = "autoLogin"`.
  if (
    /(?:[a-z]|\.|^)(?:Token|Key|token|key)$/.test(name.text) &&
    /^\??[A-Za-z]{2,40}$/.test(whole) &&
    /[a-z][A-Z]/.test(whole) &&
    isPlainName(whole.replace("?", "")) &&
    !isGibberish(whole)
  )
    return true;
  // A constant named after its value: `USER_RESET_PASSWORD = "reset_password"`.
  if (
    whole.length >= 8 &&
    /[_-]/.test(whole) &&
    own.toLowerCase().replaceAll("-", "_").endsWith(whole.toLowerCase().replaceAll("-", "_"))
  )
    return true;
  if (!name.password && /token$|key$/i.test(own) && PLACE.test(whole)) return true;
  // An expression of a template: `:password="modelValue"`, `[token]="form.token"`.
  if (isBound(t, name) && /^[A-Za-z_$][\w$]*(?:[?!]?\.[A-Za-z_$][\w$]*)*$/.test(whole)) return true;
  return name.variable && /KEY$/.test(name.text) && /^[A-Z]{2,16}(?:_[A-Z]{2,16})+$/.test(whole);
}

function isBound(t: Tokens, { first, last, quoted }: Name): boolean {
  if (quoted || t.kindAt(first - 1) !== SIGN || !t.touches(first - 1)) return false;
  return (t.is(first - 1, 58) && !t.touches(first - 2)) || (t.is(first - 1, 91) && t.is(last + 1, 93));
}

// ------------------------------------------------------- without quotes

const KEYWORDS = new Set(
  "new await async function return typeof void yield this self super null undefined None True False true false nil not lambda delete throw raise if else for while case in of is as import export const let var def class static public private final string number boolean".split(
    " ",
  ),
);

/** Whether a value without quotes is a literal rather than a word of prose or an expression of code. */
function isBareLiteral(
  t: Tokens,
  name: Name,
  literal: Literal,
  secret: string,
  end: number,
  separator: number,
): boolean {
  const { text } = t;
  const assigned = separator === 61;
  if (secret.length < 3 || isPlaceholder(secret) || separator === EQUALS) return false;
  if (!assigned && (isTypeName(secret) || isProductName(secret))) return false;
  if (KEYWORDS.has(secret) || isCodeWord(t, name, literal, secret, end, separator)) return false;
  // The number of an error or a status: `ErrCodeInvalidToken = 1009`.
  if (
    /^\d{1,7}$/.test(secret) &&
    /^(?:\w+\.)?(?:Err(?:or)?|Status|Event|Code)[A-Z]|(?:^|_)(?:ERR(?:OR)?|STATUS|EVENT|CODE)_/.test(
      name.text,
    )
  )
    return false;
  if ((name.password || name.kind === "strong") && !name.query && isMixedPassword(secret)) return true;
  // The rest of a concatenation of literals, an escaped bracket, the first line of a key.
  if (/^\+[A-Za-z_$][\w$]*(?:\.[\w$]+)*$|^u003[ce]|^-----/i.test(secret)) return false;
  if (/^[!/#][\^\w(!]/.test(secret) || /[\w)]\[/.test(secret)) return false;
  // Words: a type or a class, but for `PGPASSWORD=GraniteViolet10` and connection strings.
  if (/^(?:[A-Z][a-z]{2,}\d{0,2}){2,}$/.test(secret) && !name.variable)
    return (
      name.password &&
      /\d$/.test(secret) &&
      (isConnection(text, literal.start) || t.is(name.first - 1, 0x10004))
    );
  if (/^[{[(<$]/.test(secret) || /[({]/.test(secret))
    return /\d/.test(secret) && name.variable && !/\w\(/.test(secret);
  if (name.query) return name.kind === "weak" ? looksSecret(secret) : secret.length >= 4;
  if (name.kind === "organization" || name.kind === "reference")
    return /\d/.test(secret) || /^[A-Z0-9-]{3,}$/.test(secret);
  const digits = /\d/.test(secret);
  if (!/[A-Za-z]/.test(secret)) {
    // Numbers: a pin or a password after `=`, a long one after `:`.
    if (name.kind === "token" && (secret.length < 8 || text.charCodeAt(end) === 59)) return false;
    return /^\d+$/.test(secret)
      ? secret.length >= (assigned || name.kind === "pin" ? 4 : 6)
      : secret.length >= 6 && digits;
  }
  if (name.variable && assigned) {
    const tight = text.charCodeAt(literal.start - 1) !== 32;
    return (tight && opensStatement(t, name.first)) || digits || !isIdentifier(secret);
  }
  if (isConnection(text, literal.start)) return true;
  if (digits || /[!@#$%^&*+~]/.test(secret.slice(0, -1))) {
    if (secret.length < 6) return false;
    // A member, a call's argument, a numbered variable.
    if (
      /^[A-Za-z_$][\w$]*(?:[!?]?\.[A-Za-z_$][\w$]*)+(?::\w+)?$/.test(secret) &&
      !looksRandom(secret) &&
      !isMixedThroughout(secret)
    )
      return false;
    if (name.kind === "weak" || name.kind === "token") return looksSecret(secret) || isDigest(secret);
    return !/^[a-z]+\d{0,2}$/i.test(secret) || separator !== 58 || /^[a-z]{2,}\d{1,4}$/i.test(secret);
  }
  return (looksSecret(secret) && !isIdentifier(secret)) || isGibberish(secret);
}

/** Right at a line's beginning, or after `export`, `ENV`, `;` and the like. */
function opensStatement(t: Tokens, first: number): boolean {
  if (first === 0 || t.kindAt(first - 1) === LINE || t.is(first - 1, 59) || t.is(first - 1, 36)) return true;
  if (t.kindAt(first - 1) === SIGN && [96, 34, 39, 38, 124, 58].includes(t.sign[first - 1] as number))
    return true;
  return /^(?:export|set|setx|ENV|ARG|env|e)$/.test(t.kindAt(first - 1) === 1 ? t.textAt(first - 1) : "");
}

/** A name in code, in a place where a literal would have quotes: `token = next1;`, `{ token: token2 }`, `f(password=pw1)`. */
function isCodeWord(
  t: Tokens,
  name: Name,
  { start }: Literal,
  secret: string,
  end: number,
  separator: number,
): boolean {
  if (!/^[%?]?[A-Za-z_$][\w$]*$/.test(secret)) return false;
  const word = secret.replace(/^[%?]/, "");
  // The variable itself: `this.secretB16.value = secretB16`.
  if (
    word.length >= 4 &&
    (name.text === word ||
      name.text.endsWith(`.${word}`) ||
      name.text.startsWith(word) ||
      (word.startsWith(name.text) && /^[A-Z]/.test(word.slice(name.text.length))))
  )
    return true;
  const behind = t.text.slice(end, end + 40);
  if (/^\s{1,30}\?(?![?.])\s/.test(behind)) return true;
  if (separator === 58 && /^,[ \t]*\r?(?:\n|$)/.test(behind) && /^[a-z]+\d*[A-Z][a-z]+$/.test(secret))
    return true;
  if (
    separator === 61 &&
    /^[a-z]+$/.test(secret) &&
    /^(?: [a-z]+){1,3} (?:with|of|for|to|key|token|secret|password)\b/.test(behind)
  )
    return true;
  if (!/[;)}\]{(]/.test(t.text[end] ?? "")) return false;
  if (separator === 61 && isConnection(t.text, start)) return false;
  return secret.length < 16 || !looksRandom(secret);
}

/** `Server=…;User Id=…;Password=…`, `host=… user=… password=…`: settings side by side. */
function isConnection(text: string, at: number): boolean {
  if (text.charCodeAt(at - 1) === 32) return false;
  return /(?:^|[;\s"'])(?:server|data source|host|hostname|endpoint|user id|uid|username|database|dbname|accountname|defaultendpointsprotocol|initial catalog|user)\s?=[^=\n]{1,80}[;\s]/i.test(
    text.slice(Math.max(0, at - 160), at),
  );
}

// ------------------------------------------------------------- sentences

/** Letters and digits together, and no version, size, date, algorithm, address, shortcut or name with dots. */
function isSaid(word: string): boolean {
  if (/[[\](){}\\]/.test(word) || isOther(word) || ABOUT_VALUE.test(word)) return false;
  if (/^(?:sha|md|aes|rsa|utf|base|oauth|http|v|ipv|es|hs|rs|ed|x|p|ec|h)-?\d+\w{0,3}$/i.test(word))
    return false;
  if (
    /^\d+(?:[-–]\w+|st|nd|rd|th|px|em|rem|[kmg]b|ms|min|s|h|d|k|m|x|%|bits?|bytes?|chars?|characters?|tokens?|days?|hours?|months?|years?)$/i.test(
      word,
    )
  )
    return false;
  if (isMixedPassword(word)) return true;
  if (/[/=]/.test(word) && !(word.length >= 20 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(word) && looksRandom(word)))
    return false;
  if (/^[A-Z][a-z]{2,}\d{0,2}[A-Z][a-z]{3,}\w*$/.test(word)) return false;
  if (isGibberish(word)) return true;
  if (isTypeName(word) || isProductName(word)) return false;
  return (
    /\d/.test(word) && /\p{L}/u.test(word) && word.length >= 5 && (looksSecret(word) || word.length < 20)
  );
}

/** Directly after the name, without a verb: only a random word, or a password with digits and signs. */
function isBeside(name: Name, word: string): boolean {
  if (!isSaid(word) || isUuid(word)) return false;
  if (isDigest(word))
    return (
      name.kind === "strong" &&
      !name.password &&
      (word.length === 32 || word.length >= 64) &&
      /key$/i.test(name.text) &&
      name.text.includes(" ")
    );
  if (looksRandom(word) || isMixedThroughout(word)) return true;
  if (/\w[!@#$%^*+]\w/.test(word) && /[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word)) return true;
  return name.password && word.length >= 8 && /\d/.test(word) && /[A-Z!@#$%^&*]/.test(word);
}

function isOther(word: string): boolean {
  return (
    /^[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,12}$|^[\w.-]+@[\^~]?v?\d+\.\d/.test(word) ||
    /^(?:ctrl|control|cmd|command|alt|option|shift|super|win|meta)\+/i.test(word) ||
    (/^[A-Za-z_$][\w$-]*(?:\.[\w$-]+)+$/.test(word) && !isMixedThroughout(word) && !looksRandom(word))
  );
}
