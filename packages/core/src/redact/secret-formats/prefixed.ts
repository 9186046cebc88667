import { looksRandom, readsAsWords } from "../evidence/entropy.ts";
import { isFileName } from "../evidence/type-and-file-names.ts";
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
 * Characters that may follow a short first run of a token: the characters of prefixes
 * (except spaces, which end every word), and other characters of base64.
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
