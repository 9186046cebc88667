import { looksRandom, looksSecret } from "../../evidence/entropy.ts";
import type { KindOf, Span } from "../../types.ts";
import { continued, type Literal } from "../expression.ts";
import { judge, type Place } from "../judge.ts";
import type { Name } from "../names.ts";
import { code, SIGN, STRING, type Tokens, WORD } from "../tokens.ts";

/** The text that is read, and the function to call for each secret found in it. */
export interface TextReading {
  t: Tokens;
  kindOf: KindOf;
  add(span: Span): void;
  /** The end of the last secret that was found. Tokens before it are not read. */
  until: number;
}

/** One way in which texts write a value beside its name. */
export interface Layout {
  id: string;
  example: string;
  /**
   * Reads the value of a name. Returns whether the name is written in this layout. If so, no later layout
   * is tried. `next` is the token after the name and after the signs that close the name, such as a quote.
   */
  read(r: TextReading, name: Name, next: number): boolean;
}

/** Marks a literal for removal if it is a credential, with the literals that continue it. Returns whether the literal is a credential. */
export function take(
  { t, add }: TextReading,
  name: Name,
  literal: Literal,
  place: Place,
  separator: number,
): boolean {
  const span = judge(t, name, literal, place, separator);
  if (span === null) return false;
  add(span);
  for (const { start, end } of continued(t, literal)) {
    const word = t.text.slice(start, end);
    if (!/^[^\s"'`<>]{4,400}$/.test(word) || !(looksRandom(word) || looksSecret(word))) break;
    add({ start, end, rule: span.rule });
  }
  return true;
}

/** Marks all literals of an expression that are credentials for removal. Returns whether there was one. */
export function takeAll(r: TextReading, name: Name, literals: Iterable<Literal>, separator: number): boolean {
  let found = false;
  for (const literal of literals)
    found = take(r, name, literal, literal.inner ? "inner" : "value", separator) || found;
  return found;
}

/** Returns the token after a name and after the brackets, quotes and emphasis that close it. */
export function afterName(t: Tokens, i: number): number {
  let p = i + 1;
  for (let n = 0; n < 6 && t.kindAt(p) === SIGN; n++) {
    const sign = t.sign[p] as number;
    const tight = t.touches(p - 1);
    const close = t.match[p] as number;
    if (sign === 93 || sign === 96 || (sign === 41 && t.kind[i] === STRING)) p++;
    else if (tight && t.isOneOf(p, "?!*\"'")) p++;
    else if (sign === 42 && t.is(p + 1, 42)) p++;
    // Skips the accessors of a property in C#: `ApiKey { get; set; } =`.
    else if (sign === 123 && close > p && close - p < 8 && t.is(close + 1, 61)) return close + 1;
    // Skips a remark in brackets: `API key (Mistral):`.
    else if (sign === 40 && !tight && close > 0 && close - p < 8 && t.is(close + 1, code(":"))) p = close + 1;
    else break;
  }
  // Skips the name of a service after the name, at the beginning of a line: `API key ElevenLabs: x`.
  if (
    p === i + 1 &&
    t.kindAt(p) === WORD &&
    t.is(p + 1, code(":")) &&
    /^[A-Z]/.test(t.textAt(p)) &&
    opensLine(t, i)
  )
    return p + 1;
  return p;
}

/** Returns whether at most two tokens, such as words or the mark of a list, come before a token in its line. */
const opensLine = (t: Tokens, i: number): boolean => i - t.lineStart(i) < 3;
