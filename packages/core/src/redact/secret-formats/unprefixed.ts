import { readsAsWords } from "../evidence/entropy.ts";
import { isFakeToken } from "../evidence/placeholder.ts";
import type { Span } from "../types.ts";
import { formats } from "./registry.ts";

/** A token that is recognized by its structure instead of a prefix. */
interface Structure {
  rule: string;
  pattern: RegExp;
}

/** Structures by the character that ends the first run of the token, and structures that must match whole runs. */
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

/** The longest run that is compared as a whole. */
const LONGEST = 512;

/** Returns the token without a fixed prefix whose first run is from `start` to `end`, in front of the character `next`. */
export function structuredTokenAt(text: string, start: number, end: number, next: number): Span | null {
  const size = end - start;
  const joined = next < 128 ? byJoint[next] : undefined;
  if (joined !== undefined) {
    const found = first(joined, text, start);
    if (found !== null) return found;
    // Azure's client secrets have three characters, a digit and a Q before the tilde. The rest of the run does not belong to them.
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
