import { credentialIn, NAMED } from "../../evidence/credential-value.ts";
import { isDigest, isUuid, looksRandom, looksSecret } from "../../evidence/entropy.ts";
import { isPlaceholder } from "../../evidence/placeholder.ts";
import type { AssignedValue, Budget, KindOf, Span } from "../../types.ts";
import { credentialValue } from "./credential.ts";
import { fallbackIn } from "./fallback.ts";
import { nameBefore } from "./name.ts";
import { readValue } from "./value.ts";

/**
 * The credential assigned at the separator at `at`, in whatever language of code, configuration or prose:
 * `password=x`, `"apiKey": "x"`, `X-API-Key: x`, `<token>x</token>`, `os.environ["KEY"] = "x"`, `("X-API-Key", "x")`.
 */
export function assignmentAt(
  text: string,
  at: number,
  from: number,
  kindOf: KindOf,
  budget: Budget,
  foreign = true,
): Span | null {
  const separator = text.charCodeAt(at);
  if (separator === 63 && text.charCodeAt(at + 1) !== 63) return null;
  const name = nameBefore(text, at, from, kindOf, foreign);
  if (name === null) return null;
  const value = readValue(text, at, name, budget);
  if (value === null) return null;
  const span = credentialValue(text, name, inTurn(text, at, from, value), budget);
  if (span !== null || (separator !== 61 && separator !== 58) || name.query || name.element) return span;
  if (budget.characters <= 0) return null;
  budget.characters -= 256;
  const found = fallbackIn(text, value.enclosed ? value.start - 1 : value.start, name);
  return found === null ? null : { ...found, rule: NAMED[name.kind] };
}

/** Of `user, password = "bob", "x"` the value that has the place of the last name. */
function inTurn(text: string, at: number, from: number, value: AssignedValue): AssignedValue {
  if (!value.enclosed || text[value.end + 1] !== ",") return value;
  const before = text.slice(Math.max(from, at - 120), at);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const names = NAMES.exec(line)?.[1];
  if (names === undefined) return value;
  let { end } = value;
  let start = value.start;
  for (const _ of names.matchAll(/,/g)) {
    const next = match(NEXT_VALUE, text, end + 1);
    if (next === null) return value;
    start = end + 1 + next[0].length - (next[2]?.length ?? 0) - 1;
    end = start + (next[2]?.length ?? 0);
  }
  return { ...value, start, end };
}

const NAMES =
  /^\s*(?:(?:const|let|var|local|my)\s+)?[[(]?((?:[A-Za-z_$][\w$.]*\s?,\s?)+)[A-Za-z_$][\w$.]*[\])]?\s*:?$/;
const NEXT_VALUE = /\s?,\s?(["'`])([^"'`\n]{0,400})\1/y;

/** The value of a command-line option: `--api-key x`, `--password "x"`, `-u name:x` of curl and wget. */
export function flagAt(text: string, start: number, end: number, kindOf: KindOf): Span | null {
  const next = text.charCodeAt(end);
  // `--token=x` is an assignment; within a JSON list the value follows as `", "`.
  if (next !== 32 && next !== 34 && next !== 39) return null;
  const flag = text.slice(start, Math.min(end, start + 48));
  if (flag === "-u" || flag === "--user" || flag === "--proxy-user" || flag === "-U") {
    const pair = match(USER_PAIR, text, end);
    if (pair === null) return null;
    const valueEnd = end + pair[0].length;
    const secret = pair[2] as string;
    if (isPlaceholder(secret) || /^\s*\d+:\d+$/.test(`${pair[1]}:${secret}`)) return null;
    return { start: valueEnd - secret.length, end: valueEnd, rule: "basic-auth" };
  }
  if (!flag.startsWith("--")) return null;
  const bare = flag.slice(2);
  const kind = bare === "oauth2-bearer" ? "strong" : kindOf(bare);
  if (kind === "none") return null;
  const value = match(FLAG_VALUE, text, end);
  if (value === null) return null;
  const secret = value[1] as string;
  if (OF_OPTIONS.test(secret)) return null;
  if (secret.length < 3 || credentialIn(kind, secret) === null || (kind !== "strong" && isDigest(secret)))
    return null;
  const valueEnd = end + value[0].length;
  return { start: valueEnd - secret.length, end: valueEnd, rule: NAMED[kind] };
}

/** Words after an option in a sentence about it: `the --api-key option`. */
const OF_OPTIONS =
  /^(?:options?|arguments?|args?|flags?|parameters?|switch|values?|and|or|for|with|from|if|when|must|can|will)[`.,:)]{0,3}$/;
const USER_PAIR = /\s{1,4}\\?["']?([^\s:"'\\]{0,80}):([^\s"'\\]{2,200})/y;
const FLAG_VALUE = /["']?,?\s{1,4}(?:\\\r?\n[ \t]{0,40})?\\?["']?([^\s"'\\,;<>|]{3,400})/y;
const BEARER =
  /\s{1,2}(?:["'`]\s?(?:\+|\.|,|~|&)\s{0,40})?(?:\$\{\s{0,4}(?:[\w.$?!()[\]-]{1,80}\s{0,4}(?:\|\||\?\??)\s{0,4})?(?=["'`]))?["'`]?([A-Za-z0-9._~+/=-]{8,})/y;

/** The credential after the name of a scheme: `Bearer x`, `Basic x`, `token x`. */
export function schemeAt(text: string, start: number, end: number): Span | null {
  const scheme = text.slice(start, end).toLowerCase();
  if (
    scheme !== "bearer" &&
    scheme !== "basic" &&
    scheme !== "token" &&
    scheme !== "apikey" &&
    scheme !== "ssws"
  )
    return null;
  const value = match(BEARER, text, end);
  if (value === null) return null;
  const secret = (value[1] as string).replace(/[.,]+$/, "");
  if (secret.length < 8 || isPlaceholder(secret)) return null;
  const at = end + value[0].length - (value[1] as string).length;
  const span = {
    start: at,
    end: at + secret.length,
    rule: scheme === "basic" ? "basic-auth" : "bearer-token",
  };
  if (scheme === "basic") return isBasicPair(secret) ? span : null;
  if (scheme === "bearer")
    return /\d/.test(secret) && (looksSecret(secret) || isUuid(secret))
      ? span
      : looksRandom(secret)
        ? span
        : null;
  return looksRandom(secret) && secret.length >= 16 ? span : null;
}

/** Base64 of `name:password`. */
export function isBasicPair(text: string): boolean {
  if (text.length > 2048) return false;
  try {
    const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, ""));
    return /^[\x20-\x7e\x80-\xff]{0,400}$/.test(plain) && plain.includes(":") && plain.length >= 3;
  } catch {
    return false;
  }
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
