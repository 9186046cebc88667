/** Kinds of tokens. */
export const WORD = 1;
export const STRING = 2;
export const SIGN = 3;
export const LINE = 4;

/** Signs of several characters. Every other sign is represented by its character code. */
export const ARROW = 0x10000; // => and ->
export const EQUALS = 0x10001; // ==, ===, !=, !==
export const OR = 0x10002; // || and ??
export const SCOPE = 0x10003; // ::
export const DASHES = 0x10004; // --, before an option
export const ADDRESS = 0x10005; // ://

/** The columns that are copied when a literal absorbs its prefix, such as the `f` of `f"…"`. */
const COPIED = ["kind", "end", "from", "to", "sign"] as const;

export const code = (sign: string): number => sign.charCodeAt(0);

/** The tokens of a text or of a part of it, stored as columns of a table: no token is an object. */
export class Tokens {
  count = 0;
  kind = new Int32Array(64);
  /** The positions in the text where the whole token begins and ends, including its quotes. */
  start = new Int32Array(64);
  end = new Int32Array(64);
  /** For a literal, where its content begins and ends. For a line break: the indentation after it, and the number of line breaks. */
  from = new Int32Array(64);
  to = new Int32Array(64);
  /** The character code of the sign, or of the quote of a literal. */
  sign = new Int32Array(64);
  /** The token of the matching bracket. -1 for a bracket without one and for all other tokens. */
  match = new Int32Array(64);
  text = "";
  /** How many more characters of values may be read in this text; this limits the work on values inside values. */
  budget = { left: 0 };

  is(i: number, sign: number): boolean {
    return i >= 0 && i < this.count && this.kind[i] === SIGN && this.sign[i] === sign;
  }

  /** Returns whether the token is one of these signs, each a single ASCII character. */
  isOneOf(i: number, signs: string): boolean {
    const sign = this.kindAt(i) === SIGN ? (this.sign[i] as number) : 0;
    return sign > 0 && sign < 128 && signs.includes(String.fromCharCode(sign));
  }

  kindAt(i: number): number {
    return i >= 0 && i < this.count ? (this.kind[i] as number) : 0;
  }

  /** Returns a word, or the content of a literal. */
  textAt(i: number): string {
    return this.kind[i] === STRING
      ? this.text.slice(this.from[i], this.to[i])
      : this.text.slice(this.start[i], this.end[i]);
  }

  /** Returns whether nothing separates a token from the next one. */
  touches(i: number): boolean {
    return i >= 0 && i + 1 < this.count && this.end[i] === this.start[i + 1];
  }

  /** Returns the first token of the line that `i` is in, at most 40 tokens back. */
  lineStart(i: number): number {
    let p = i;
    while (p > 0 && i - p < 40 && this.kind[p - 1] !== LINE) p--;
    return p;
  }

  /** Returns the first of the `most` tokens from `from` on that is this sign, or -1. The sign must be on the same line, except for `>`. */
  findSign(from: number, sign: number, most: number): number {
    for (let p = from; p < this.count && p < from + most; p++) {
      if (this.is(p, sign)) return p;
      // Only the search for `>` goes beyond the line, because a tag may continue on the next line.
      if (this.kind[p] === LINE && sign !== 62) return -1;
    }
    return -1;
  }

  /** Returns the end of the line with the character at `from`, at most 400 characters further. */
  lineEnd(from: number): number {
    const end = this.text.slice(from, from + 400).indexOf("\n");
    return end < 0 ? Math.min(this.text.length, from + 400) : from + end;
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
    for (const column of [...COPIED, "start", "match"] as const) {
      const longer = new Int32Array(2 * this.count);
      longer.set(this[column]);
      this[column] = longer;
    }
  }

  /** Notes that the last added bracket closes the one at `open`. */
  pair(open: number): void {
    this.match[open] = this.count - 1;
    this.match[this.count - 1] = open;
  }

  /** Replaces the word before the last added literal by the literal: the word is its prefix, as in `f"…"`. */
  dropPrefix(): void {
    const i = --this.count;
    for (const column of COPIED) this[column][i - 1] = this[column][i] as number;
  }
}
