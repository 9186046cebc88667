import { isIdentifier } from "../../evidence/credential-value.ts";
import {
  isDigest,
  isMixedPassword,
  isMixedThroughout,
  looksRandom,
  looksSecret,
} from "../../evidence/entropy.ts";
import { isGibberish } from "../../evidence/gibberish.ts";
import { isPlaceholder } from "../../evidence/placeholder.ts";
import { isProductName, isTypeName } from "../../evidence/type-and-file-names.ts";
import type { AssignedValue, AssignmentName } from "../../types.ts";
import { nameOf } from "./own-name.ts";

/** Whether an unquoted value is a literal rather than a word of prose or an expression of code. */
export function isBareLiteral(
  text: string,
  name: AssignmentName,
  value: AssignedValue,
  secret: string,
  end: number,
): boolean {
  if (secret.length < 3 || isPlaceholder(secret)) return false;
  if (value.separator !== 61 && (isTypeName(secret) || isProductName(secret))) return false;
  // The variable itself: `this.secretB16.value = secretB16`, `fields(auth_key = %auth_key)`.
  if (/^[%?]?[A-Za-z_]\w*$/.test(secret) && isOwnName(text, value, secret.replace(/^[%?]/, ""))) return false;
  if (KEYWORDS.has(secret) || isCodeWord(text, value, secret, end)) return false;
  // The number of an error or a status: `ErrCodeInvalidToken = 1009`.
  if (
    /^\d{1,7}$/.test(secret) &&
    /^(?:\w+\.)?(?:Err(?:or)?|Status|Event|Code)[A-Z]|(?:^|_)(?:ERR(?:OR)?|STATUS|EVENT|CODE)_/.test(
      nameOf(text, value.start),
    )
  )
    return false;
  if ((name.password || name.kind === "strong") && !name.query && isMixedPassword(secret)) return true;
  // The rest of a concatenation of literals, and an escaped bracket: `"token=" + c.jwt`, `\\u003ctoken\\u003e`.
  if (/^\+[A-Za-z_$][\w$]*(?:\.[\w$]+)*$|^u003[ce]/i.test(secret)) return false;
  // The first line of a key whose body was an example, or was removed.
  if (secret.startsWith("-----")) return false;
  if (/^[!/#][\^\w(!]/.test(secret) || /[\w)]\[/.test(secret)) return false;
  // Words: a type or a class, but for `PGPASSWORD=GraniteViolet10`, `--password=…` and connection strings.
  if (/^(?:[A-Z][a-z]{2,}\d{0,2}){2,}$/.test(secret) && !name.variable)
    return (
      name.password &&
      /\d$/.test(secret) &&
      (isConnectionString(text, value.start) || /^(?:--[a-z-]+|[A-Z]+)$/.test(nameOf(text, value.start)))
    );
  if (value.separator > 128 && value.separator < 0x3000 && !looksSecret(secret)) return false;
  if (/^[{[(<$]/.test(secret) || /[({]/.test(secret))
    return /\d/.test(secret) && name.variable && !/\w\(/.test(secret);
  if (name.query) return name.kind === "weak" ? looksSecret(secret) : secret.length >= 4;
  if (name.kind === "organization" || name.kind === "reference")
    return /\d/.test(secret) || /^[A-Z0-9-]{3,}$/.test(secret);
  const after = text.charCodeAt(end);
  const digits = /\d/.test(secret);
  const letters = /[A-Za-z]/.test(secret);
  if (!letters) {
    // Numbers: a pin or a password after `=`, a long one after `:`.
    if (name.kind === "token" && (secret.length < 8 || after === 59)) return false;
    return /^\d+$/.test(secret)
      ? secret.length >= (value.separator === 61 || name.kind === "pin" ? 4 : 6)
      : secret.length >= 6 && digits;
  }
  if (name.variable && value.separator === 61) {
    const tight = text.charCodeAt(value.start - 1) !== 32;
    return (name.statement && tight) || digits || !isIdentifier(secret);
  }
  if (isConnectionString(text, value.start)) return true;
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
    return !/^[a-z]+\d{0,2}$/i.test(secret) || value.separator !== 58 || /^[a-z]{2,}\d{1,4}$/i.test(secret);
  }
  return (looksSecret(secret) && !isIdentifier(secret)) || isGibberish(secret);
}

/** Whether the assigned word is the name before the separator, a name derived from it, or a part of it. */
function isOwnName(text: string, { start, separator }: AssignedValue, word: string): boolean {
  if (word.length < 4) return false;
  const name = nameOf(text, start);
  if (name.length >= 4 && word.startsWith(name) && /^[A-Z]/.test(word.slice(name.length))) return true;
  if (separator !== 61) return false;
  return name === word || name.endsWith(`.${word}`) || name.endsWith(`${word}.value`);
}

const KEYWORDS = new Set(
  "new await async function return typeof void yield this self super null undefined None True False true false nil not lambda delete throw raise if else for while case in of is as import export const let var def class static public private final".split(
    " ",
  ),
);

/** A name in code, in a place where a literal would have quotes: `token = next1;`, `{ token: token2 }`, `f(password=pw1)`. */
function isCodeWord(text: string, { start, separator }: AssignedValue, secret: string, end: number): boolean {
  if (!/^[A-Za-z_$][\w$]*$/.test(secret)) return false;
  const behind = text.slice(end, end + 40);
  // `token = isOAuth2 ? a : b`; `TokenHash: pat1Hash,`; `KEY=data encryption key with 32 characters`.
  if ((separator === 61 || separator === 58) && /^\s{1,30}\?(?![?.])\s/.test(behind)) return true;
  if (separator === 58 && /^,[ \t]*\r?(?:\n|$)/.test(behind) && /^[a-z]+\d*[A-Z][a-z]+$/.test(secret))
    return true;
  if (
    separator === 61 &&
    /^[a-z]+$/.test(secret) &&
    /^(?: [a-z]+){1,3} (?:with|of|for|to|key|token|secret|password)\b/.test(behind)
  )
    return true;
  if (!/[;)}\]{(]/.test(text[end] ?? "")) return false;
  if (separator === 61 && isConnectionString(text, start)) return false;
  return secret.length < 16 || !looksRandom(secret);
}

/** `Server=…;User Id=…;Password=…`, `host=… user=… password=…`: settings side by side. */
function isConnectionString(text: string, at: number): boolean {
  if (text.charCodeAt(at - 1) === 32) return false;
  const before = text.slice(Math.max(0, at - 160), at);
  return /(?:^|[;\s"'])(?:server|data source|host|hostname|endpoint|user id|uid|username|database|dbname|accountname|defaultendpointsprotocol|initial catalog|user)\s?=[^=\n]{1,80}[;\s]/i.test(
    before,
  );
}
