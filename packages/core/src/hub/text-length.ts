/** Returns the length of a text in code points (an emoji is one), or `limit + 1` for any longer text. */
export function characters(text: string, limit: number): number {
  // A code point has at most two code units, so a text this long need not be counted.
  return text.length > 2 * limit ? limit + 1 : [...text].length;
}

/** Returns the first `limit` characters of a text. */
export function cutTo(text: string, limit: number): string {
  return [...text.slice(0, 2 * limit)].slice(0, limit).join("");
}
