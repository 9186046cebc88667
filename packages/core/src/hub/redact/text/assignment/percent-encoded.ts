/** A quote in a percent-encoded text, encoded once or twice: `%22`, `%2522`, `%5C%22`. */
const QUOTE_BEFORE = /(?:%(?:25)?5C)?%(?:25)?2[27]$/i;
const PLAIN = /^[\w.~!*()+%/=:@$-]+$/;
const OPENS = /(?:\+|%(?:25)?20){0,2}((?:%(?:25)?5C)?%(?:25)?2[27])/iy;

/** How many characters the encoded quote before `at` has; 0 when there is none. */
export function encodedQuoteBefore(text: string, at: number): number {
  return QUOTE_BEFORE.exec(text.slice(Math.max(0, at - 10), at))?.[0].length ?? 0;
}

/** How long the encoded separator at `at` is: `%3A`, or `%253A` when it was encoded twice. */
export function separatorLength(text: string, at: number): number {
  return text.startsWith("25", at + 1) ? 5 : 3;
}

/** The value between encoded quotes at `at`: `%22x%22`. */
export function encodedValue(
  text: string,
  at: number,
  longest: number,
): { start: number; end: number } | null {
  OPENS.lastIndex = at;
  const quote = OPENS.exec(text)?.[1];
  if (quote === undefined) return null;
  const start = OPENS.lastIndex;
  const rest = text.slice(start, start + longest);
  const value = rest.slice(0, Math.max(0, rest.indexOf(quote)));
  return PLAIN.test(value) ? { start, end: start + value.length } : null;
}
