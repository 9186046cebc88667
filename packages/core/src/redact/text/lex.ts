/**
 * A tolerant lexer for any text: code of any language, configuration, markup, shell, prose, fragments of JSON. It knows no
 * grammar. It only has to see where words, literals, signs and lines are; what it takes for a literal by mistake is read
 * again as a text of its own. Every character is looked at a bounded number of times.
 */

/** Kinds of tokens. */
export const WORD = 1;
export const STRING = 2;
export const SIGN = 3;
export const LINE = 4;

/** Signs of several characters; all others are their character code. */
export const ARROW = 0x10000; // => and ->
export const EQUALS = 0x10001; // ==, ===, !=, !==
export const OR = 0x10002; // || and ??
export const SCOPE = 0x10003; // ::
export const DASHES = 0x10004; // --, before an option
export const ADDRESS = 0x10005; // ://

export const code = (sign: string): number => sign.charCodeAt(0);
const [QUOTE, APOSTROPHE, BACKTICK, BACKSLASH, NEWLINE, RETURN] = [34, 39, 96, 92, 10, 13];

/** The longest literal. */
const LONGEST = 65_536;

/** Classes of ASCII characters: 1 within words, 2 joins two parts of a word, 3 white space. */
const CLASS = new Uint8Array(128);
for (let c = 48; c <= 57; c++) CLASS[c] = 1;
for (let c = 65; c <= 90; c++) CLASS[c] = CLASS[c + 32] = 1;
CLASS[95] = 1;
CLASS[45] = CLASS[46] = 2;
CLASS[32] = CLASS[9] = CLASS[11] = CLASS[12] = 3;

/** Signs beyond ASCII that mean the same as an ASCII sign, and words for "is" that are written without spaces. */
const SAME = new Map([
  [0xff1a, 58],
  [0xff1d, 61],
  [0xff0c, 44],
  [0x2192, ARROW],
  [0x2013, ARROW],
  [0x2014, ARROW],
  [0x662f, 58],
  [0x4e3a, 58],
  [0x70ba, 58],
  [0x306f, 58],
  [0xc740, 58],
  [0xb294, 58],
]);
/** Quotes whose closing form differs. */
const CLOSES = new Map(
  ["“”", "„“", "‘’", "«»", "‹›", "「」", "『』"].map((p) => [p.charCodeAt(0), p.charCodeAt(1)]),
);
const ELIDES = /[dlDL]/;
/** Letters and signs before a quote that belong to the literal: `f"…"`, `N'…'`, `rb"…"`. */
const PREFIX = /^(?:[fFrRbBuULNE]|u8|[rR][bB]|[bB][rR]|[fF][rR])$/;

/** The tokens of a text or of a part of it, as columns of a table. */
export class Tokens {
  count = 0;
  kind = new Uint8Array(512);
  /** The whole token, with its quotes. */
  start = new Int32Array(512);
  end = new Int32Array(512);
  /** Of a literal: its content. Of a line: `from` is the indentation of the next one, `to` how many line breaks. */
  from = new Int32Array(512);
  to = new Int32Array(512);
  /** The sign; of a literal its quote. */
  sign = new Int32Array(512);
  /** The partner of a bracket; -1 when it has none, and for all other tokens. */
  match = new Int32Array(512);
  text = "";
  /** How many more characters of values may be read in the text: it bounds values inside values. */
  budget = { left: 0 };

  is(i: number, sign: number): boolean {
    return i >= 0 && i < this.count && this.kind[i] === SIGN && this.sign[i] === sign;
  }
  kindAt(i: number): number {
    return i >= 0 && i < this.count ? (this.kind[i] as number) : 0;
  }
  /** A word, or the content of a literal. */
  textAt(i: number): string {
    return this.kind[i] === STRING
      ? this.text.slice(this.from[i], this.to[i])
      : this.text.slice(this.start[i], this.end[i]);
  }
  /** Whether nothing is between a token and the next one. */
  touches(i: number): boolean {
    return i >= 0 && i + 1 < this.count && this.end[i] === this.start[i + 1];
  }

  add(kind: number, sign: number, start: number, end: number, from = start, to = end): void {
    const i = this.count++;
    if (i === this.kind.length) this.#grow();
    this.kind[i] = kind;
    this.sign[i] = sign;
    this.start[i] = start;
    this.end[i] = end;
    this.from[i] = from;
    this.to[i] = to;
    this.match[i] = -1;
  }

  #grow(): void {
    const size = this.kind.length * 2;
    const kinds = new Uint8Array(size);
    kinds.set(this.kind);
    this.kind = kinds;
    for (const column of ["start", "end", "from", "to", "sign", "match"] as const) {
      const grown = new Int32Array(size);
      grown.set(this[column]);
      this[column] = grown;
    }
  }
}

/** Reads `text` from `first` to `last` into `tokens`. `inside`: it is the content of a literal, where `\n` is a line break. */
export function lex(
  text: string,
  first: number,
  last: number,
  inside: boolean,
  tokens = new Tokens(),
): Tokens {
  tokens.count = 0;
  tokens.text = text;
  /** Up to where no literal with this quote and so many backslashes closes: such a search is made once. */
  const unclosed = new Map<number, number>();
  const open: number[] = [];
  let i = first;

  const line = (at: number) => {
    let breaks = 1;
    let indent = 0;
    let p = at;
    for (; p < last; p++) {
      const c = text.charCodeAt(p);
      if (c === NEWLINE) {
        breaks++;
        indent = 0;
      } else if (c === 32) indent++;
      else if (c === 9) indent += 4;
      else if (c !== RETURN) break;
    }
    tokens.add(LINE, 0, at - 1, at, indent, breaks);
    i = p;
  };

  /** The literal that opens at `at` with a quote after `slashes` backslashes; false when it does not close. */
  const literal = (at: number, slashes: number): boolean => {
    const quote = text.charCodeAt(at);
    const close = CLOSES.get(quote) ?? quote;
    const from = at + 1;
    const triple =
      slashes === 0 && quote < 128 && text.charCodeAt(from) === quote && text.charCodeAt(from + 1) === quote;
    if (triple) {
      const key = quote * 16 + 15;
      if ((unclosed.get(key) ?? -1) > at) return false;
      const end = quote === BACKTICK ? -1 : text.indexOf(text.slice(at, at + 3), from + 2);
      if (end < 0 || end + 3 > last || end - at > LONGEST) {
        unclosed.set(key, end < 0 ? last : at + 1);
        return false;
      }
      tokens.add(STRING, quote, at, end + 3, from + 2, end);
      i = end + 3;
      return true;
    }
    const key = quote * 16 + slashes;
    if ((unclosed.get(key) ?? -1) > at) return false;
    const limit = Math.min(last, from + LONGEST);
    let p = from;
    for (; p < limit; p++) {
      const c = text.charCodeAt(p);
      if (c === NEWLINE) break;
      if (c === BACKSLASH && close < 128) {
        let end = p;
        while (end < limit && text.charCodeAt(end) === BACKSLASH) end++;
        const run = end - p;
        if (slashes > 0) {
          // Within `\"…\"`, a quote after the same number of backslashes closes; after fewer, it ends the outer literal.
          if (text.charCodeAt(end) === close && run <= slashes) {
            if (run < slashes) break;
            tokens.add(STRING, quote, at - slashes, end + 1, from, p);
            i = end + 1;
            return true;
          }
          p = end - 1;
        } else p = run % 2 === 1 ? end : end - 1;
      } else if (c === close && (slashes === 0 || close !== quote)) {
        // An apostrophe in a word does not close.
        if (c === APOSTROPHE && isWordCode(text.charCodeAt(p + 1)) && isWordCode(text.charCodeAt(p - 1)))
          continue;
        tokens.add(STRING, quote, at, p + 1, from, p);
        i = p + 1;
        return true;
      }
    }
    unclosed.set(key, p);
    return false;
  };

  while (i < last) {
    const c = text.charCodeAt(i);
    const kind = c < 128 ? CLASS[c] : isLetter(c) ? 1 : 0;
    if (kind === 3) {
      i++;
      continue;
    }
    if (kind === 1) {
      const start = i;
      const wide = c >= 0x3040;
      for (i++; i < last; i++) {
        const d = text.charCodeAt(i);
        if (d < 128) {
          if (wide) break;
          const next = CLASS[d];
          if (next === 1) continue;
          // `x-api-key`, `user.name`, `d'accès`: a hyphen, a dot or an apostrophe between two parts.
          if (next === 2 && i + 1 < last && isWordCode(text.charCodeAt(i + 1))) continue;
          if (
            d === APOSTROPHE &&
            i === start + 1 &&
            ELIDES.test(text[start] as string) &&
            isWordCode(text.charCodeAt(i + 1))
          )
            continue;
          break;
        }
        if (d === 0x2019 && isWordCode(text.charCodeAt(i + 1))) continue;
        if (!isLetter(d) || d >= 0x3040 !== wide) break;
      }
      tokens.add(WORD, 0, start, i);
      continue;
    }
    if (c === NEWLINE || c === RETURN) {
      line(i + 1);
      continue;
    }
    if (c === BACKSLASH) {
      let end = i;
      while (end < last && text.charCodeAt(end) === BACKSLASH && end - i < 8) end++;
      const d = text.charCodeAt(end);
      if (d === NEWLINE || d === RETURN) {
        // A line that is continued.
        i = end + 1;
        while (i < last && text.charCodeAt(i) <= 32) i++;
      } else if ((d === QUOTE || d === APOSTROPHE) && literal(end, end - i)) {
        // The literal was added.
      } else if (inside && (d === 110 || d === 114)) line(end + 1);
      else if (inside && d === 116) i = end + 1;
      else {
        tokens.add(SIGN, d === QUOTE || d === APOSTROPHE ? d : c, i, end);
        i = d === QUOTE || d === APOSTROPHE ? end + 1 : end;
      }
      continue;
    }
    if (c === QUOTE || c === BACKTICK || c === APOSTROPHE || (c >= 128 && CLOSES.has(c))) {
      const before = i > first ? text.charCodeAt(i - 1) : 32;
      const prefixed = isWordCode(before) && tokens.count > 0 && PREFIX.test(lastWord(tokens, i));
      if ((c !== APOSTROPHE || prefixed || !isWordCode(before)) && literal(i, 0)) {
        if (prefixed) dropPrefix(tokens);
        continue;
      }
      tokens.add(SIGN, c, i, i + 1);
      i++;
      continue;
    }
    const length = signLength(text, i, c);
    const sign = signAt(text, i, c, length);
    if (sign === 40 || sign === 91 || sign === 123) open.push(tokens.count);
    tokens.add(SIGN, sign, i, i + length);
    if (sign === 41 || sign === 93 || sign === 125) {
      // A bracket that is missing does not disturb the others.
      for (let n = 0; n < 4 && open.length > 0; n++) {
        const at = open.pop() as number;
        if (tokens.sign[at] !== (sign === 41 ? 40 : sign - 2)) continue;
        tokens.match[at] = tokens.count - 1;
        tokens.match[tokens.count - 1] = at;
        break;
      }
    }
    i += length;
  }
  return tokens;
}

function lastWord(tokens: Tokens, end: number): string {
  const i = tokens.count - 1;
  return tokens.kind[i] === WORD && tokens.end[i] === end && end - (tokens.start[i] as number) < 3
    ? tokens.text.slice(tokens.start[i], end)
    : "";
}

/** The literal that was added last takes the place of its prefix. */
function dropPrefix(tokens: Tokens): void {
  const i = tokens.count - 1;
  tokens.count--;
  for (const column of ["kind", "end", "from", "to", "sign"] as const)
    tokens[column][i - 1] = tokens[column][i] as number;
}

function signLength(text: string, i: number, c: number): number {
  const d = text.charCodeAt(i + 1);
  switch (c) {
    case 61: // =
      return d === 61 ? (text.charCodeAt(i + 2) === 61 ? 3 : 2) : d === 62 ? 2 : 1;
    case 33: // !
      return d === 61 ? (text.charCodeAt(i + 2) === 61 ? 3 : 2) : 1;
    case 58: // :
      return d === 58 || d === 61 ? 2 : d === 47 && text.charCodeAt(i + 2) === 47 ? 3 : 1;
    case 45: // -
      return d === 62 || d === 45 ? 2 : 1;
    case 124: // |
    case 63: // ?
      return d === c ? (text.charCodeAt(i + 2) === 61 ? 3 : 2) : c === 63 && d === 61 ? 2 : 1;
    case 37: // %
      return d === 51 && /[AD]/i.test(text[i + 2] ?? "") ? 3 : 1;
    case 60: // <-
      return d === 45 && text.charCodeAt(i + 2) === 32 ? 2 : 1;
    default:
      return 1;
  }
}

function signAt(text: string, i: number, c: number, length: number): number {
  if (c >= 128) return SAME.get(c) ?? c;
  if (length === 1) return c;
  switch (c) {
    case 61:
      return text.charCodeAt(i + 1) === 62 ? ARROW : EQUALS;
    case 33:
      return EQUALS;
    case 58:
      return length === 3 ? ADDRESS : text.charCodeAt(i + 1) === 58 ? SCOPE : 61;
    case 45:
      return text.charCodeAt(i + 1) === 62 ? ARROW : DASHES;
    case 37:
      return (text.charCodeAt(i + 2) | 32) === 100 ? 61 : 58;
    default:
      return length === 3 || text.charCodeAt(i + 1) === 61 ? 61 : OR;
  }
}

export function isWordCode(c: number): boolean {
  return c < 128 ? CLASS[c] === 1 : isLetter(c);
}

/** Letters and marks beyond ASCII: everything but punctuation, signs and the marks of `SAME`. */
function isLetter(c: number): boolean {
  return (
    c >= 0xc0 &&
    c !== 0xd7 &&
    c !== 0xf7 &&
    !(c >= 0x2000 && c < 0x2c00) &&
    !(c >= 0x3000 && c <= 0x303f) &&
    !(c >= 0xff00 && c <= 0xff20) &&
    !SAME.has(c)
  );
}
