/** The length of a text in code points (an emoji is one); `limit + 1` for any longer text. */
export function characters(text: string, limit: number): number {
  // A code point is at most two code units: a text this long needs no counting.
  return text.length > 2 * limit ? limit + 1 : [...text].length;
}

/** The first `limit` characters of a text. */
export function cutTo(text: string, limit: number): string {
  return [...text.slice(0, 2 * limit)].slice(0, limit).join("");
}
