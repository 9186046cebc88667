import { afterScheme } from "../evidence/credential-value.ts";
import { isMixedPassword } from "../evidence/entropy.ts";
import type { Name } from "./names.ts";
import { ARROW, code, EQUALS, LINE, OR, SIGN, STRING, type Tokens, WORD } from "./tokens.ts";

/** A literal that may be the value of a name. */
export interface Literal {
  start: number;
  end: number;
  quoted: boolean;
  /** False for the value itself; true for a literal inside the expression: an argument, a fallback, an element. */
  inner: boolean;
  /** The first token of the literal, and the token after it. */
  first: number;
  next: number;
}

/** The most tokens of an expression, and the most characters of a value without quotes. FEW and SHORT apply if no budget is left. */
const [MOST, FEW] = [96, 8];
const [LONGEST, SHORT] = [4096, 64];

/** Names of arguments, members and methods that set the value of a field. */
export const VALUE_NAMES =
  /^(?:value|val|default|default_?value|initial|initial_?value|fallback|content|data|string_?value|secret_?value|field_?value|v)$/i;
/** Words of code after which an expression continues. */
const GOES_ON =
  /^(?:new|await|async|by|lazy|return|typeof|lambda|function|or|and|else|if|not|as|yield|in|is|of|const|mut|var|let|null|None|nil|undefined|str|string|String|unless|then|move|static|final|get|default)$/;
const TAGS = /^<\/?(?:code|b|strong|kbd|tt|samp|mark|em|i|span|pre|br ?\/?)>/i;

/**
 * Returns the token with which the value after a separator begins. Skips emphasis, HTML tags, YAML's tags and block marks, and
 * the line break before a literal or a bracket. If `lines` is true, any value may be on the next line.
 */
export function valueAt(t: Tokens, i: number, lines: boolean): number {
  let p = i;
  for (let n = 0; n < 12 && p < t.count; n++) {
    const sign = t.kind[p] === SIGN ? (t.sign[p] as number) : 0;
    if (sign === 42 || (sign === 96 && !t.touches(p))) p++;
    else if (sign === 60 && TAGS.test(t.text.slice(t.start[p], (t.start[p] as number) + 12))) {
      const close = t.findSign(p, code(">"), 24);
      if (close < 0) return p;
      p = close + 1;
    } else if ((sign === 124 || sign === 62) && t.kindAt(p + (t.isOneOf(p + 1, "+-") ? 2 : 1)) === LINE) {
      // A block in YAML: `key: >-`.
      p += t.isOneOf(p + 1, "+-") ? 3 : 2;
    } else if (sign === 33 && (t.is(p + 1, 33) || (t.kind[p + 1] === WORD && isValue(t, p + 2)))) {
      // A tag in YAML: `!!str`. After `!secret` and the like, there is a reference instead of a value.
      if (t.kind[p + 1] === WORD && /^(?:secret|ref|sub|env|vault|getatt|importvalue)/i.test(t.textAt(p + 1)))
        return t.count;
      p += t.is(p + 1, 33) ? 3 : 2;
    } else if (t.kind[p] === LINE && (t.to[p] as number) < 3) {
      if (!lines && t.kindAt(p + 1) !== STRING && !t.isOneOf(p + 1, "([{")) return p;
      p++;
      lines = false;
    } else break;
  }
  return p;
}

/** Returns the value without quotes that begins at token `i`, read from the text up to a space, a quote or a separator. */
export function bareAt(t: Tokens, i: number, name: Name, separator: number): Literal | null {
  const { text } = t;
  const start = t.start[i] as number;
  const limit = Math.min(text.length, start + (t.budget.left > 0 ? LONGEST : SHORT));
  let p = start + afterScheme(text.slice(start, start + 40));
  const loose = name.variable && separator === 61 && !name.query;
  const drawn = (name.password || name.kind === "strong") && !name.query ? endOfPassword(text, p) : 0;
  for (; p < limit; p++) {
    const c = text.charCodeAt(p);
    if (c <= 32 || c === 34 || c === 39 || c === 96 || c === 92 || c === 60 || c === 62 || c >= 0x2e80) break;
    if (loose || p < drawn) continue;
    if (c === 44 || c === 59 || c === 41 || c === 93 || c === 125 || c === 38) break;
    if (c === 124 && !(p > start && /\w/.test(text[p + 1] ?? ""))) break;
    if (name.query && (c === 35 || (c === 37 && text.startsWith("%26", p)))) break;
  }
  t.budget.left -= p - start + 16;
  let end = p;
  while (end > start && /[.,?:]/.test(text[end - 1] as string)) end--;
  if (end <= start || text.startsWith("...", end) || text.charCodeAt(end) === 0x2026) return null;
  let next = i;
  while (next < t.count && (t.start[next] as number) < end && next - i < 64) next++;
  return { start, end, quoted: false, inner: false, first: i, next };
}

/** Returns the end of a password that may contain signs such as `&`, which end other values: `Rii61&sluA9`. Returns 0 for other words. */
function endOfPassword(text: string, from: number): number {
  const word =
    /^[^\s"'`\\<>[\]{}|)]{8,48}/.exec(text.slice(from, from + 48))?.[0].replace(/[.,;:?!]+$/, "") ?? "";
  // A sign may also separate the password from the next setting of a form or connection string. That setting is cut off.
  const own = word.replace(/[&;,][\w. -]*=.*$/, "");
  return isMixedPassword(own) ? from + own.length : 0;
}

export function literalAt(t: Tokens, i: number, inner: boolean): Literal {
  return { start: t.from[i] as number, end: t.to[i] as number, quoted: true, inner, first: i, next: i + 1 };
}

/**
 * Yields the literals of the expression that begins at token `i`. A literal is inner if a name or another literal stands before it, or if
 * it is in a list: an argument of a call, a fallback, a branch of `? :`, an element. Any other literal is the value itself, also after
 * `(`, `new`, `await` and the like. Literals of named arguments and members are left out, because they are read under those names, except
 * `value` and the like. The expression ends at a comma, a semicolon, a bracket around it, prose, or a line end where it does not go on.
 */
export function* literalsOf(t: Tokens, i: number, inner = false): Generator<Literal> {
  let depth = 0;
  let called = false;
  let spoken = 0;
  // An expression in braces ends at the closing brace.
  const close = t.is(i, code("{")) && (t.match[i] as number) > i ? (t.match[i] as number) : t.count;
  const last = Math.min(close, i + (t.budget.left > 0 ? MOST : FEW));
  for (let p = i; p < last; p++) {
    t.budget.left -= 8;
    const kind = t.kind[p];
    if (kind === STRING) {
      if (spoken > 1) return;
      // A literal that is only compared with the value is not the value.
      if (p === i || !t.is(p - 1, EQUALS)) yield literalAt(t, p, inner || called || p > i + 8);
      called = true;
      spoken = 0;
      continue;
    }
    if (kind === LINE) {
      if (depth === 0 && p > i && !goesOn(t, p)) return;
      continue;
    }
    if (kind === WORD) {
      const word = t.textAt(p);
      if (depth > 0 && (t.is(p + 1, code("=")) || t.is(p + 1, code(":"))) && !VALUE_NAMES.test(word)) {
        // A named argument or member is skipped, because the literal after it belongs to that name.
        p = endOfItem(t, p + 2, last) - 1;
        continue;
      }
      if (GOES_ON.test(word)) spoken = 0;
      else {
        called = true;
        // Outside of brackets, two words side by side mean prose.
        spoken = t.kindAt(p - 1) === WORD && p > i ? spoken + 1 : 1;
        if (spoken > 1 && depth === 0) return;
      }
      continue;
    }
    spoken = 0;
    const sign = t.sign[p] as number;
    switch (sign) {
      case 40: // (
      case 91: // [
        depth++;
        if (sign === 91 && p === i) called = true;
        break;
      case 123: // {
        // The value is an object. Its members are read under their own names.
        if (p === i && !isLone(t, p)) return;
        depth++;
        break;
      case 41:
      case 93:
      case 125:
        depth--;
        if (depth < 0) return;
        break;
      case 59: // ;
      case 44: // ,
        if (depth === 0) return;
        break;
      case 61: // =
        if (depth === 0 && p > i) called = inner;
        break;
      case EQUALS:
        called = true;
        break;
      case 60: // <
        if (depth === 0 && t.is(p + 1, code("/"))) return;
        break;
      default:
    }
  }
}

/** Returns whether braces contain only an expression and no members, as in JSX: `apiKey={⏎ "…"⏎}`. */
function isLone(t: Tokens, open: number): boolean {
  const close = t.match[open] as number;
  if (close < open) return false;
  for (let p = open + 1; p < close && p < open + 4; p++) if (t.isOneOf(p, ":,=;")) return false;
  return true;
}

/** Returns whether an expression continues after the line break at `p`. */
function goesOn(t: Tokens, p: number): boolean {
  if (t.kindAt(p - 1) === SIGN) {
    const before = t.sign[p - 1] as number;
    if (before >= ARROW ? before !== 0x10004 : "=+|?:&.([{,".includes(String.fromCharCode(before)))
      return true;
  }
  if (t.kindAt(p + 1) === WORD)
    return (
      /^(?:or|else|and|if)$/.test(t.textAt(p + 1)) ||
      /^(?:return|or|else|do)$/.test(t.kindAt(p - 1) === WORD ? t.textAt(p - 1) : "")
    );
  if (t.kindAt(p + 1) !== SIGN) return false;
  const next = t.sign[p + 1] as number;
  return (
    next === OR ||
    next === ARROW ||
    (next < 128 && ".+?:|&".includes(String.fromCharCode(next)) && !(next === 45))
  );
}

/** Returns the token after the argument or member that begins at `from`: a comma, a semicolon or a closing bracket. */
export function endOfItem(t: Tokens, from: number, last: number): number {
  for (let p = from; p < last; p++) {
    if (t.kind[p] !== SIGN) continue;
    const close = t.match[p] as number;
    if (close > p) {
      p = close;
      continue;
    }
    if (t.isOneOf(p, ",;)]}")) return p;
  }
  return last;
}

/** Yields the other literals of a concatenation: `"…" + "…"`, `"…" \⏎ "…"`, or literals with the same quotes side by side. */
export function* continued(t: Tokens, first: Literal): Generator<Literal> {
  if (!first.quoted) return;
  let p = first.next;
  for (let n = 0; n < 64; n++) {
    while (t.kindAt(p) === LINE) p++;
    if (t.isOneOf(p, "+.&~")) {
      p++;
      while (t.isOneOf(p, "+.&~")) p++;
      while (t.kindAt(p) === LINE) p++;
    } else if (t.sign[p] !== t.sign[first.first] || !(t.kindAt(p) === STRING)) return;
    if (t.kindAt(p) !== STRING) return;
    yield literalAt(t, p, false);
    p++;
  }
}

const isValue = (t: Tokens, i: number): boolean => t.kindAt(i) === WORD || t.kindAt(i) === STRING;
