import { looksRandom, readsAsWords } from "../evidence/entropy.ts";
import { isFakeToken } from "../evidence/placeholder.ts";
import { isFileName } from "../evidence/type-and-file-names.ts";
import type { Span } from "../types.ts";
import { literal } from "./format.ts";
import { formats } from "./registry.ts";

/** A format with one of its prefixes. It is matched at the beginning of the prefix. */
interface Prefixed {
  rule: string;
  prefix: string;
  pattern: RegExp;
  random: boolean;
}

/** Formats by their first two characters (both ASCII), the longest prefix first. This excludes most texts quickly. */
const byStart: (Prefixed[] | undefined)[] = new Array(128 * 128);
/**
 * Signs of prefixes and of base64. A run (letters, digits, `_`, `-`) that is too short for a token can still begin one if
 * such a sign follows it. Spaces in prefixes are left out, because a space follows most words.
 */
export const CONTINUES = new Uint8Array(128);
for (const char of "./+") CONTINUES[char.charCodeAt(0)] = 1;

const prefixed = formats.flatMap(({ id, prefixes, pattern, random }) =>
  prefixes.map((prefix) => ({
    rule: id,
    prefix,
    pattern: new RegExp(literal(prefix) + pattern, "y"),
    random: random === true,
  })),
);
for (const format of prefixed.sort((a, b) => b.prefix.length - a.prefix.length)) {
  const at = format.prefix.charCodeAt(0) * 128 + format.prefix.charCodeAt(1);
  byStart[at] = [...(byStart[at] ?? []), format];
  for (const char of format.prefix.replace(/[\w -]/g, "")) CONTINUES[char.charCodeAt(0)] = 1;
}

/** Returns the token that begins at `at`: its rule and its end. Null if there is none. */
export function tokenAt(text: string, at: number): { rule: string; end: number } | null {
  const first = text.charCodeAt(at);
  const second = text.charCodeAt(at + 1);
  if (!(first < 128 && second < 128)) return null;
  const candidates = byStart[first * 128 + second];
  if (candidates === undefined) return null;
  for (const { rule, prefix, pattern, random } of candidates) {
    if (!text.startsWith(prefix, at)) continue;
    pattern.lastIndex = at;
    if (!pattern.test(text)) continue;
    const end = pattern.lastIndex;
    const body = text.slice(at + prefix.length, end);
    if (random ? !looksRandom(body) : readsAsWords(body)) continue;
    if (isFileName(text, at, end, body)) continue;
    return { rule, end };
  }
  return null;
}

/** A token that is recognized by its structure instead of a prefix. */
interface Structure {
  rule: string;
  pattern: RegExp;
}

/** Structures by the character after the first run of the token, and structures whose whole token is one run. */
const byJoint: (Structure[] | undefined)[] = new Array(128);
const whole: Structure[] = [];
/** Characters that may follow the first run of a token with a structure. */
export const JOINS = new Uint8Array(128);

for (const { id, prefixes, joints, pattern } of formats) {
  if (prefixes.length > 0) continue;
  const structure = { rule: id, pattern: new RegExp(pattern, "y") };
  if (joints === undefined) whole.push(structure);
  for (const char of joints ?? "") {
    const at = char.charCodeAt(0);
    byJoint[at] = [...(byJoint[at] ?? []), structure];
    JOINS[at] = 1;
  }
}

/** The longest run that is compared with the structures in `whole`, in characters. */
const LONGEST = 512;

/** Returns the token without a fixed prefix whose first run is from `start` to `end`, in front of the character `next`. */
export function structuredTokenAt(text: string, start: number, end: number, next: number): Span | null {
  const size = end - start;
  const joined = next < 128 ? byJoint[next] : undefined;
  if (joined !== undefined) {
    const found = first(joined, text, start);
    if (found !== null) return found;
    // An Azure client secret has three characters, a digit and a Q before the tilde. Earlier characters of the run are not part of it.
    if (next === 126 && size >= 5 && text.charCodeAt(end - 1) === 81) {
      return first(joined, text, Math.max(0, end - 5));
    }
  }
  return size >= 32 && size <= LONGEST ? first(whole, text, start) : null;
}

function first(structures: readonly Structure[], text: string, start: number): Span | null {
  for (const { rule, pattern } of structures) {
    pattern.lastIndex = start;
    if (!pattern.test(text)) continue;
    const end = pattern.lastIndex;
    const token = text.slice(start, end).replaceAll("AAAAAA", "");
    if (!isFakeToken(token) && !readsAsWords(token)) return { start, end, rule };
  }
  return null;
}

/** The rules of an AWS access key's id and of its secret half. The secret half has no prefix, so it is only searched near an id. */
export const AWS_ID_RULE = "aws-access-key-id";
export const AWS_SECRET_RULE = "aws-secret-access-key";
/** How far after the id of an access key its secret may be, in characters. */
export const AWS_NEAR = 160;
const AWS_SECRET = /[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/y;

/** Finds the secret half of an AWS key, 40 characters of base64, near its id. */
export function awsSecretAt(text: string, start: number): Span | null {
  let from = start;
  while (from > 0 && start - from < 40 && /[/+]/.test(text[from - 1] as string)) from--;
  AWS_SECRET.lastIndex = from;
  if (!AWS_SECRET.test(text)) return null;
  const end = AWS_SECRET.lastIndex;
  return looksRandom(text.slice(from, end)) ? { start: from, end, rule: AWS_SECRET_RULE } : null;
}
