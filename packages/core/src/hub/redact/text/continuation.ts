import { isPlainName } from "../evidence/credential-value.ts";
import { looksRandom, looksSecret } from "../evidence/entropy.ts";
import type { Span } from "../types.ts";

/** A backslash at the end of a line, and the word at the start of the next line. */
const NEXT_LINE = /\\\r?\n([ \t]{0,40})([A-Za-z0-9+/=_.~-]{4,400})(?![A-Za-z0-9+/=_.~:([{-])/y;
/** The next literal of a concatenation: `"…" + "…"`, or two literals on consecutive lines. */
const NEXT_LITERAL =
  /["'`]\s{0,4}(?:[+.&~]\s{0,4}|\\?(?=\r?\n))(?:\\?\r?\n[ \t]{0,60})?(?:[+.&~]\s{0,4})?[fbru]?["'`]([A-Za-z0-9+/=_.~-]{4,400})(?=["'`])/y;

/** The continuation of a secret that was removed: the rest of a string over several lines or literals. */
export function continuedAfter(text: string, span: Span): Span | null {
  const c = text.charCodeAt(span.end);
  if (c === 92) {
    NEXT_LINE.lastIndex = span.end;
    const found = NEXT_LINE.exec(text);
    if (found === null) return null;
    const rest = found[2] as string;
    // In a shell an indented word is a separate word, so it has to look random.
    if (rest.startsWith("-") || (found[1] === "" ? isPlainName(rest) : !looksRandom(rest))) return null;
    return ending(NEXT_LINE.lastIndex, rest, span);
  }
  if (c === 34 || c === 39 || c === 96) {
    NEXT_LITERAL.lastIndex = span.end;
    const rest = NEXT_LITERAL.exec(text)?.[1];
    if (rest === undefined || rest.length < 8) return null;
    if (!looksRandom(rest) && (isPlainName(rest) || !looksSecret(rest))) return null;
    return ending(NEXT_LITERAL.lastIndex, rest, span);
  }
  return null;
}

function ending(end: number, rest: string, { rule }: Span): Span {
  return { start: end - rest.length, end, rule };
}
