import { bareAt, type Literal, literalsOf, VALUE_NAMES, valueAt } from "../expression.ts";
import type { Name } from "../names.ts";
import { ARROW, code, LINE, SIGN, STRING, type Tokens, WORD } from "../tokens.ts";
import { type TextReading, take } from "./layout.ts";

/** Members and attributes whose content names the value beside them, such as `name` in `{ name: "TOKEN", value: "x" }`. */
const NAMES_VALUE =
  /^(?:name|key|id|header|field|property|param|parameter|variable|var|label|title|option|setting|env|arg|attribute|(?:env|header|field|param|parameter|query|variable|setting|config|property|input|cookie|arg|form)[_-]?(?:name|key|id))$/i;

/** Returns whether the token is the name of a member that names another value, such as `name` or `key`. */
export function namesValue(t: Tokens, i: number): boolean {
  const kind = t.kindAt(i);
  return (
    (kind === WORD || kind === STRING) &&
    (t.end[i] as number) - (t.start[i] as number) < 20 &&
    NAMES_VALUE.test(t.textAt(i))
  );
}

/** Marks for removal the credentials after the separator at `at` in a description: a word, or the literals of an expression. */
function describedAs(r: TextReading, name: Name, at: number, sign: number): boolean {
  const { t } = r;
  const p = valueAt(t, at + 1, false);
  if (p >= t.count || t.kind[p] === LINE) return false;
  const bare = t.kind[p] === STRING ? null : bareAt(t, p, name, sign);
  if (bare !== null && take(r, name, bare, "described", sign)) return true;
  let found = false;
  for (const literal of literalsOf(t, p))
    found = take(r, name, literal, literal.inner ? "inner" : "described", sign) || found;
  return found;
}

/**
 * Marks for removal a credential that is the value of `default`, `value` and the like. Searches the next arguments or members,
 * up to `most` tokens. In YAML, the search ends at a line that is indented less than `indent`.
 */
export function described(r: TextReading, name: Name, from: number, most: number, indent = 0): boolean {
  const { t } = r;
  const last = Math.min(t.count, from + (t.budget.left > 0 ? most : 8));
  for (let p = from; p < last; p++) {
    t.budget.left -= 4;
    const kind = t.kind[p];
    if (kind === SIGN) {
      // The search ends at the end of a tag without content, or of the call or object.
      if ((t.is(p, code(">")) && t.is(p - 1, code("/"))) || t.isOneOf(p, ")]}")) return false;
      if (t.is(p, code("(")) && (t.match[p] as number) > p) p = t.match[p] as number;
      continue;
    }
    if (kind === LINE) {
      // The next entry of a YAML list describes another name.
      if (t.is(p + 1, code("-")) || (t.from[p] as number) < indent) return false;
      continue;
    }
    if (t.is(p - 1, code("/")) || !VALUE_NAMES.test(t.textAt(p))) continue;
    const sign = t.kindAt(p + 1) === SIGN ? (t.sign[p + 1] as number) : 0;
    if (sign === 62) {
      if (!t.is(p - 1, code("<"))) continue;
      const value = contentAt(t, p + 1);
      return value !== null && take(r, name, value, "described", 62);
    }
    if (sign === 61 || sign === 58 || sign === ARROW) return describedAs(r, name, p + 1, sign);
  }
  return false;
}

/** Marks for removal the value of `default`, `value` and the like before the name: `{ value: "x", name: "token" }`. */
export function describedBefore(r: TextReading, name: Name, from: number): boolean {
  const { t } = r;
  for (let p = from; p >= 0 && p > from - 32; p--) {
    const kind = t.kind[p];
    if (t.isOneOf(p, "<([{") || (kind === LINE && t.is(p + 1, code("-")))) return false;
    if (kind !== WORD && kind !== STRING) continue;
    if (VALUE_NAMES.test(t.textAt(p)) && t.isOneOf(p + 1, "=:"))
      return describedAs(r, name, p + 1, t.sign[p + 1] as number);
  }
  return false;
}

/** Returns the text of an element whose tag ends at the token `close`, up to a closing tag. */
export function contentAt(t: Tokens, close: number): Literal | null {
  const from = t.end[close] as number;
  const cdata = t.text.startsWith("<![CDATA[", from) ? 9 : 0;
  const size = t.text.slice(from + cdata, from + 1024).indexOf(cdata > 0 ? "]]>" : "<");
  const end = from + cdata + size;
  if (size < 0 || (cdata === 0 && t.text[end + 1] !== "/")) return null;
  const literal = trimmed(t, from + cdata, end, close + 1);
  return literal.end > literal.start ? literal : null;
}

/** Returns a stretch of the text without white space and emphasis marks around it. */
export function trimmed(t: Tokens, from: number, to: number, first: number): Literal {
  let start = from;
  let end = to;
  while (start < end && " \t\r\n`*\"'".includes(t.text[start] as string)) start++;
  while (end > start && " \t\r\n`*\"'".includes(t.text[end - 1] as string)) end--;
  return { start, end, quoted: true, inner: false, first, next: first };
}
