/** The characters of a text, of which emoji and the like are one each; `limit + 1` for any longer text. */
export function characters(text: string, limit: number): number {
  // A character is two code units at most: of a longer text nothing needs to be counted.
  return text.length > 2 * limit ? limit + 1 : [...text].length;
}

/** The first `limit` characters of a text. */
export function cutTo(text: string, limit: number): string {
  return [...text.slice(0, 2 * limit)].slice(0, limit).join("");
}
