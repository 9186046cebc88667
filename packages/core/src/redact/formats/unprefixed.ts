import { readsAsWords } from "../evidence/entropy.ts";
import { isFakeToken } from "../evidence/placeholder.ts";
import type { Span } from "../types.ts";
import { formats } from "./registry.ts";

/** A token known by its structure instead of a prefix. */
interface Structure {
  rule: string;
  pattern: RegExp;
}

/** By the character at which the first run of the token ends, and those tried on whole runs. */
const byJoint: (Structure[] | undefined)[] = new Array(128);
const whole: Structure[] = [];
/** Characters that may follow the first run of such a token. */
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

/** Longest run that is looked at as a whole. */
const LONGEST = 512;

/** The token without a known beginning whose first run is from `start` to `end`, before the character `next`. */
export function structuredTokenAt(text: string, start: number, end: number, next: number): Span | null {
  const size = end - start;
  const joined = next < 128 ? byJoint[next] : undefined;
  if (joined !== undefined) {
    const found = first(joined, text, start);
    if (found !== null) return found;
    // Azure's client secrets have three characters, a digit and a Q before the tilde; the rest of the run is not part of them.
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
