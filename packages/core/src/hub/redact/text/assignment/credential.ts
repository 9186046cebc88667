import { credentialIn, isIdentifier, isPlainName, NAMED } from "../../evidence/credential-value.ts";
import { isUuid, looksRandom, looksSecret } from "../../evidence/entropy.ts";
import { isGibberish } from "../../evidence/gibberish.ts";
import type { AssignedValue, AssignmentName, Budget, Span } from "../../types.ts";
import { isTranslationLine } from "../translation-lines.ts";
import { isBareLiteral } from "./bare-value.ts";
import { nameOf } from "./own-name.ts";

/** After the name of a variable: letters with digits that are not a numbered word, or with irregular case. */
function isDrawn(text: string): boolean {
  return text.length >= 8 && !/\s/.test(text) && (/\d/.test(text) ? !isIdentifier(text) : isGibberish(text));
}

/** Decides whether an assigned value is a credential, and which part of it. */
export function credentialValue(
  text: string,
  name: AssignmentName,
  value: AssignedValue,
  budget: Budget,
): Span | null {
  const whole = text.slice(value.start, value.end);
  if (!value.enclosed && !/[A-Za-z0-9]/.test(whole)) return null;
  const kind = name.query && isUuid(whole) && name.key ? "strong" : name.kind;
  const found = credentialIn(kind, whole);
  if (found === null) return null;
  // The text between two strings of code, where a closing quote looks like an opening one: `log("password:", x, "…")`.
  if (value.enclosed && /^\s?(?:[),;\]}]|\+\s)/.test(whole)) return null;
  // The fingerprint of a PGP key.
  if (FINGERPRINT.test(whole) && /(?:gpg|pgp)[_-]?key$/i.test(nameOf(text, value.start))) return null;
  if (value.enclosed && isNoLiteral(text, name, value, whole)) return null;
  // A comparison, whose right side is a possible value: `token == "async"`.
  if (value.compared && !(value.enclosed && looksSecret(whole))) return null;
  // After the bracket of a call or on the line below a name, only a value that is almost certainly a secret.
  if (value.separator === 40 || value.below) {
    if (/\s/.test(whole) || isPlainName(whole) || isUuid(whole)) return null;
    if (
      !(looksRandom(whole) && whole.length >= 12) &&
      !(name.password && /\d/.test(whole) && looksSecret(whole))
    )
      return null;
  }
  const start = value.start + found.start;
  let end = value.end;
  let secret = text.slice(start, end);
  if (!value.enclosed) {
    secret = secret.trimEnd();
    end = start + secret.length;
    if (!isBareLiteral(text, name, value, secret, end)) return null;
  } else if (
    (value.separator === 44 ||
      value.separator === 124 ||
      value.separator === 63 ||
      value.separator === 0x2192) &&
    !looksSecret(secret) &&
    !isUuid(secret) &&
    !(name.variable && kind === "strong" && isDrawn(secret))
  ) {
    // A pair of arguments or of elements of a list, such as `("password", "email")`, is not an assignment.
    return null;
  }
  if (value.enclosed && isTranslationLine(text, value.start, value.end, budget)) return null;
  return { start, end, rule: name.query ? "url-parameter" : NAMED[name.kind] };
}

/** Text in quotes that is not a literal, or that is a name: code, prose between two literals, one of several types. */
function isNoLiteral(text: string, name: AssignmentName, value: AssignedValue, whole: string): boolean {
  // The rest of a sentence: "`?apikey=` of an address, `x` …".
  if (name.query && /^\s/.test(whole)) return true;
  // A shell command: `KEY=`openssl rand -hex 32``.
  if (value.separator === 61 && text[value.start - 1] === "`" && /^[a-z][\w./-]*\s/.test(whole)) return true;
  // Types: `type Token = "NUL" | "ASCII"`.
  if (/^["'`]\s{0,4}\|\s{0,4}["'`]/.test(text.slice(value.end, value.end + 12))) return true;
  // The name of a state or an event: `token = "autoLogin"`, `lastToken = "?InTemplate"`.
  if (
    name.named &&
    /^\??[A-Za-z]{2,40}$/.test(whole) &&
    /[a-z][A-Z]/.test(whole) &&
    isPlainName(whole.replace("?", "")) &&
    !isGibberish(whole)
  )
    return true;
  const own = nameOf(text, value.start);
  // A constant named after its value: `USER_RESET_PASSWORD = "reset_password"`.
  if (whole.length >= 8 && /[_-]/.test(whole) && own.toLowerCase().endsWith(whole.toLowerCase())) return true;
  // The place where a token is kept, and a column with a time: `AUTH_TOKEN = "app.auth"`, `x_token: "sent_at"`.
  if (!name.password && /token$|key$/i.test(own) && PLACE.test(whole)) return true;
  // An expression of a template: `:password="modelValue"`, `[token]="form.token"`.
  if (
    value.separator === 61 &&
    /^[A-Za-z_$][\w$]*(?:[?!]?\.[A-Za-z_$][\w$]*)*$/.test(whole) &&
    BOUND.test(text.slice(Math.max(0, value.start - 80), value.start))
  )
    return true;
  // A list of cells: `"Custom token","ColorSet(light: …)"`.
  if (value.separator === 44 && /^[A-Za-z]+\(/.test(whole)) return true;
  // A constant's name as the value of another constant: `GLOBAL_KEY = "PRISMA_INSTRUMENTATION"`.
  return (
    name.variable &&
    name.key &&
    /^(?:[A-Z]{2,16}(?:_[A-Z]{2,16})+|V?\$\{\w{1,40}\}(?:_[A-Z]{2,16})+)$/.test(whole)
  );
}

const FINGERPRINT = /^(?:0x)?(?:[\dA-F]{8}|[\dA-F]{16}|[\dA-F]{40})$/i;
const PLACE =
  /^[a-z]{2,30}(?:[.:][a-z][a-z\d]{1,30}){0,4}[.:][a-z]{2,40}$|^[a-z]{2,20}(?:_[a-z]{2,20}){0,4}_(?:at|id|name|type|url|by|on|field|column|hash)$/;
const BOUND = /(?:\s(?::|v-bind:|v-model:)[\w.-]{1,60}|\[[\w.]{1,60}\])=["']$/;
