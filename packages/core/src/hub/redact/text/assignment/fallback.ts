import { isPlainName } from "../../evidence/credential-value.ts";
import { isUuid, looksRandom, looksSecret } from "../../evidence/entropy.ts";
import { isPlaceholder } from "../../evidence/placeholder.ts";
import type { AssignmentName } from "../../types.ts";

/** How far an expression is read. */
const FAR = 240;
/** Operators after which a value may follow: `a || "x"`, `a ?? "x"`, `a ? "x" : "y"`, `a or "x"`. */
const OPERATOR = /(?:\|\||\?\?=?|\?:?|:|\bor|\belse|\breturn)\s*$/;
/** How an expression continues on the next line. */
const GOES_ON = /^\s*(?:\|\||\?|:|\.|or\b|else\b|&&)/;

/**
 * The literal that an expression falls back to or chooses, at or after `from`: `process.env.X || "x"`,
 * `os.environ.get("X") or "x"`, `getenv("X", "x")`, `on ? "x" : ""`. Only a value that is almost certainly a credential.
 */
export function fallbackIn(
  text: string,
  from: number,
  name: AssignmentName,
): { start: number; end: number } | null {
  const limit = Math.min(text.length, from + FAR);
  let depth = 0;
  for (let i = from; i < limit; i++) {
    const c = text.charCodeAt(i);
    if (c === 34 || c === 39 || c === 96) {
      const end = closing(text, i, c);
      if (end < 0) return null;
      const word = text.slice(i + 1, end);
      if (isSecretWord(word, name)) {
        const before = text.slice(Math.max(from, i - 12), i);
        if (OPERATOR.test(before) || (depth > 0 && /,\s*$/.test(before))) return { start: i + 1, end };
      }
      i = end;
    } else if (c === 40 || c === 91) depth++;
    else if (c === 41 || c === 93) {
      if (--depth < 0) return null;
    } else if (c === 59 || c === 123 || c === 125 || (c === 44 && depth === 0)) return null;
    else if (c === 61 && depth === 0 && !isCompared(text, i)) return null;
    else if (c === 10 && depth === 0) {
      const before = text.slice(Math.max(from, i - 12), i);
      if (i > from && before.trim() !== "" && !OPERATOR.test(before) && !GOES_ON.test(text.slice(i, i + 60)))
        return null;
    }
  }
  return null;
}

/** The end of a quoted word on one line. */
function closing(text: string, open: number, quote: number): number {
  const limit = Math.min(text.length, open + 400);
  for (let i = open + 1; i < limit; i++) {
    const c = text.charCodeAt(i);
    if (c === 10) return -1;
    if (c === quote) return i;
  }
  return -1;
}

/** `==`, `=>`, `>=`, `!=`. */
function isCompared(text: string, at: number): boolean {
  return /[=>]/.test(text[at + 1] ?? "") || /[=!<>]/.test(text[at - 1] ?? "");
}

function isSecretWord(word: string, name: AssignmentName): boolean {
  if (word.length < 8 || /[\s{}()]/.test(word) || isPlainName(word) || isUuid(word) || isPlaceholder(word))
    return false;
  if (/^[a-z]+:\/\/|^[./]/i.test(word)) return false;
  if (looksRandom(word)) return word.length >= 12;
  return looksSecret(word) && (name.password ? /\d/ : /^(?=.{12}).*\d.*\d/).test(word);
}
