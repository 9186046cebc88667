import type { Fault } from "../problem.ts";

/**
 * The most values (of any depth) in one body or publication. The code visits each value about ten times, so more values would take longer
 * than a second. Most exports of real tools have 45,000 values per megabyte, the densest 90,000. A limit of bytes alone would not be
 * enough, because a list of empty lists has 340,000 values per megabyte.
 */
export const JSON_VALUES = 200_000;

/**
 * The most different keys in one body or publication. A new key costs the JavaScript engine a microsecond in
 * parsing and in every later visit, while a known key costs almost nothing. Exports of real tools have a few thousand.
 */
export const JSON_KEYS = 50_000;

/** What `countJsonValues` counts in a JSON text. Colons, brackets and commas inside its strings do not count. */
export interface JsonCounts {
  colons: number;
  /** The number of values, if the text is JSON: one for the whole text, one per list or object that is not empty, and one per comma. */
  values: number;
  /**
   * The number of different keys, counted only up to JSON_KEYS + 1, plus every occurrence of a key that begins with a
   * digit, because the JavaScript engine stores objects with such keys in a slower form.
   */
  keys: number;
}

/** Counts the values and keys of a text in one pass, without parsing it, however many escapes it has. The text need not be JSON. */
export function countJsonValues(text: string): JsonCounts {
  const counts = { colons: 0, values: 1, keys: 0 };
  const keys = new Set<number>();
  let [from, to, numbered] = [0, 0, 0];
  for (let i = 0; i < text.length; i += 1) {
    const character = text.charCodeAt(i);
    if (character === QUOTE) {
      from = i + 1;
      i = endOfString(text, i);
      to = i;
    } else if (character === COLON) {
      counts.colons += 1;
      const first = text.charCodeAt(from);
      if (first >= ZERO && first <= NINE) numbered += 1;
      else if (keys.size <= JSON_KEYS) keys.add(hashOf(text, from, to));
    } else if (character === COMMA) counts.values += 1;
    else if ((character === BRACE || character === BRACKET) && !isEmptyAt(text, i)) counts.values += 1;
  }
  counts.keys = keys.size + numbered;
  return counts;
}

/** Returns the FNV-1a hash of the characters of a key. */
function hashOf(text: string, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

/** Returns whether the list or object that opens at `open` is empty. */
function isEmptyAt(text: string, open: number): boolean {
  let next = open + 1;
  while (text.charCodeAt(next) <= SPACE) next += 1;
  const close = text.charCodeAt(next);
  // The character code of a closing bracket or brace is the code of the opening one plus two.
  return close === text.charCodeAt(open) + 2;
}

/** Returns the fault of a text with too many values or keys to be parsed, or null. */
export function tooManyValues(text: string): Fault | null {
  // A value needs at least two characters, and a key with its value and its comma six, so a shorter text cannot have too many of them.
  if (text.length < Math.min(2 * JSON_VALUES, 6 * JSON_KEYS)) return null;
  const { values, keys } = countJsonValues(text);
  if (values > JSON_VALUES) return manyFault("");
  const message = `must have at most ${JSON_KEYS} different keys`;
  return keys > JSON_KEYS ? { path: "", code: "too_many_keys", message } : null;
}

export function manyFault(path: string): Fault {
  return { path, code: "too_many_values", message: `must have at most ${JSON_VALUES} values` };
}

/** Returns the index of the quote that ends the string beginning at `start`, or the text's length if none does. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

const [SPACE, COLON, COMMA, QUOTE, BACKSLASH, BRACE, BRACKET, ZERO, NINE] = [
  32, 58, 44, 34, 92, 123, 91, 48, 57,
];
