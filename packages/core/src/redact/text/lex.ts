import { CLASS, isLetter, isSpace, isWordCode, signAt } from "./characters.ts";
import { LINE, SIGN, STRING, Tokens, WORD } from "./tokens.ts";

const [QUOTE, APOSTROPHE, BACKTICK, BACKSLASH, NEWLINE, RETURN] = [34, 39, 96, 92, 10, 13];

/** The longest literal, in characters. */
const LONGEST = 65_536;
/** Quotes whose closing form is a different character. */
const CLOSES = new Map(
  ["“”", "„“", "‘’", "«»", "‹›", "「」", "『』"].map((pair) => [pair.charCodeAt(0), pair.charCodeAt(1)]),
);
/** Letters in front of a quote that belong to the literal: `f"…"`, `N'…'`, `rb"…"`. */
const PREFIX = /^(?:[fFrRbBuULNE]|u8|[rR][bB]|[bB][rR]|[fF][rR])$/;

/**
 * Splits any text into tokens, tolerantly: code of any language, configuration, markup, shell, prose, fragments
 * of JSON. It knows no grammar; it only finds words, literals, signs and lines. The reader also reads the content of
 * each literal as a separate text, so a wrong literal hides nothing. Each character is looked at a bounded number of times.
 */
export class Lexer {
  /** The tokens of the last text. */
  readonly tokens = new Tokens();
  #text = "";
  #first = 0;
  #last = 0;
  #at = 0;
  /** Whether the text is the content of a literal, where the two characters `\n` are a line break. */
  #inside = false;
  /** For each quote and number of backslashes, the position up to which a search found no closing quote, so no search is repeated. */
  readonly #unclosed = new Map<number, number>();
  /** The tokens of the brackets that are still open. */
  readonly #open: number[] = [];

  /** Reads the part of a text from `first` to `last`. `inside` is true if the part is the content of a literal. */
  read(text: string, first: number, last: number, inside: boolean): Tokens {
    this.tokens.count = 0;
    this.tokens.text = text;
    this.#text = text;
    this.#first = first;
    this.#at = first;
    this.#last = last;
    this.#inside = inside;
    this.#open.length = 0;
    if (this.#unclosed.size > 0) this.#unclosed.clear();
    while (this.#at < this.#last) {
      const c = this.#text.charCodeAt(this.#at);
      if (isWordCode(c)) this.#word(c);
      else if (isSpace(c)) this.#at++;
      else if (c === NEWLINE || c === RETURN) this.#line(this.#at + 1);
      else if (c === BACKSLASH) this.#backslashes();
      else if (c === QUOTE || c === BACKTICK || c === APOSTROPHE || (c >= 128 && CLOSES.has(c)))
        this.#quote(c);
      else this.#sign(c);
    }
    return this.tokens;
  }

  /** Reads a word. A word ends where a script without spaces, such as Chinese, meets other letters: `我的API密钥` is three words. */
  #word(c: number): void {
    const text = this.#text;
    const start = this.#at;
    const wide = c >= 0x3040;
    let i = start + 1;
    for (; i < this.#last; i++) {
      const d = text.charCodeAt(i);
      if (d < 128) {
        if (wide) break;
        const kind = CLASS[d];
        if (kind === 1) continue;
        // A hyphen, a dot or an apostrophe joins two parts: `x-api-key`, `user.name`, `d'accès`.
        const joins =
          kind === 2 || (d === APOSTROPHE && i === start + 1 && /[dl]/i.test(text[start] as string));
        if (!joins || i + 1 >= this.#last || !isWordCode(text.charCodeAt(i + 1))) break;
      } else if (!(d === 0x2019 && isWordCode(text.charCodeAt(i + 1)))) {
        if (!isLetter(d) || d >= 0x3040 !== wide) break;
      }
    }
    this.tokens.add(WORD, 0, start, i);
    this.#at = i;
  }

  /** Reads a line break that ends before `from`, with the empty lines and the indentation after it. */
  #line(from: number): void {
    let breaks = 1;
    let indent = 0;
    let p = from;
    for (; p < this.#last; p++) {
      const c = this.#text.charCodeAt(p);
      if (c === NEWLINE) {
        breaks++;
        indent = 0;
      } else if (c === 32) indent++;
      else if (c === 9) indent += 4;
      else if (c !== RETURN) break;
    }
    this.tokens.add(LINE, 0, from - 1, from, indent, breaks);
    this.#at = p;
  }

  #backslashes(): void {
    const text = this.#text;
    const start = this.#at;
    let end = start;
    while (end < this.#last && text.charCodeAt(end) === BACKSLASH && end - start < 8) end++;
    const d = text.charCodeAt(end);
    const quote = d === QUOTE || d === APOSTROPHE;
    if (d === NEWLINE || d === RETURN) {
      // A line that ends with a backslash continues on the next line, so there is no line token.
      this.#at = end + 1;
      while (this.#at < this.#last && text.charCodeAt(this.#at) <= 32) this.#at++;
    } else if (quote && this.#literal(end, end - start)) {
      // `#literal` has already added the token.
    } else if (this.#inside && (d === 110 || d === 114)) this.#line(end + 1);
    else if (this.#inside && d === 116) this.#at = end + 1;
    else {
      this.tokens.add(SIGN, quote ? d : BACKSLASH, start, end);
      this.#at = quote ? end + 1 : end;
    }
  }

  #quote(c: number): void {
    const at = this.#at;
    const tokens = this.tokens;
    const inWord = at > this.#first && isWordCode(this.#text.charCodeAt(at - 1));
    const last = tokens.count - 1;
    const prefixed =
      inWord &&
      last >= 0 &&
      tokens.kind[last] === WORD &&
      at - (tokens.start[last] as number) < 3 &&
      PREFIX.test(tokens.textAt(last));
    if ((c !== APOSTROPHE || prefixed || !inWord) && this.#literal(at, 0)) {
      if (prefixed) tokens.dropPrefix();
      return;
    }
    tokens.add(SIGN, c, at, at + 1);
    this.#at = at + 1;
  }

  /** Reads the literal that opens at `at` with a quote after `slashes` backslashes. Returns false if it does not close. */
  #literal(at: number, slashes: number): boolean {
    const text = this.#text;
    const quote = text.charCodeAt(at);
    if (
      slashes === 0 &&
      quote < 128 &&
      text.charCodeAt(at + 1) === quote &&
      text.charCodeAt(at + 2) === quote
    )
      return this.#tripled(at, quote);
    const key = quote * 16 + slashes;
    if ((this.#unclosed.get(key) ?? -1) > at) return false;
    const close = CLOSES.get(quote) ?? quote;
    const from = at + 1;
    const limit = Math.min(this.#last, from + LONGEST);
    let p = from;
    for (; p < limit; p++) {
      const c = text.charCodeAt(p);
      if (c === NEWLINE) break;
      if (c === BACKSLASH && close < 128) {
        let end = p;
        while (end < limit && text.charCodeAt(end) === BACKSLASH) end++;
        const run = end - p;
        if (slashes === 0) p = run % 2 === 1 ? end : end - 1;
        else if (text.charCodeAt(end) === close && run <= slashes) {
          // Within `\"…\"`, a quote after the same number of backslashes closes the literal; after fewer, it ends the outer literal.
          if (run < slashes) break;
          return this.#add(quote, at - slashes, end + 1, from, p);
        } else p = end - 1;
      } else if (c === close && (slashes === 0 || close !== quote)) {
        // An apostrophe within a word does not close a literal.
        const inWord = isWordCode(text.charCodeAt(p + 1)) && isWordCode(text.charCodeAt(p - 1));
        if (c !== APOSTROPHE || !inWord) return this.#add(quote, at, p + 1, from, p);
      }
    }
    this.#unclosed.set(key, p);
    return false;
  }

  /** Reads a literal in three quotes, which may have many lines. Three backticks are one sign, a fence of Markdown. */
  #tripled(at: number, quote: number): boolean {
    const key = quote * 16 + 15;
    if (quote === BACKTICK) return this.#add(quote, at, at + 3, at, at + 3, SIGN);
    if ((this.#unclosed.get(key) ?? -1) > at) return false;
    const end = this.#text.indexOf(this.#text.slice(at, at + 3), at + 3);
    if (end >= 0 && end + 3 <= this.#last && end - at <= LONGEST)
      return this.#add(quote, at, end + 3, at + 3, end);
    this.#unclosed.set(key, end < 0 ? this.#last : at + 1);
    return false;
  }

  #add(quote: number, start: number, end: number, from: number, to: number, kind = STRING): true {
    this.tokens.add(kind, quote, start, end, from, to);
    this.#at = end;
    return true;
  }

  #sign(c: number): void {
    const at = this.#at;
    const tokens = this.tokens;
    const { sign, length } = signAt(this.#text, at, c);
    if (sign === 40 || sign === 91 || sign === 123) this.#open.push(tokens.count);
    tokens.add(SIGN, sign, at, at + length);
    this.#at = at + length;
    if (sign !== 41 && sign !== 93 && sign !== 125) return;
    // Brackets that were never closed are dropped, at most four, so that they do not affect the other pairs.
    for (let n = 0; n < 4 && this.#open.length > 0; n++) {
      const open = this.#open.pop() as number;
      if (tokens.sign[open] !== (sign === 41 ? 40 : sign - 2)) continue;
      tokens.pair(open);
      break;
    }
  }
}
