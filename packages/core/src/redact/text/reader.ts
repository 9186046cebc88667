import { type Budget, ROUNDS } from "../budget.ts";
import { REDACTED } from "../evidence/credential-value.ts";
import { hasUuidJoints } from "../evidence/entropy.ts";
import type { KindOf, NameKind, OnRedaction, Span } from "../types.ts";
import { findTokens } from "./formats.ts";
import { afterName, type TextReading } from "./layouts/layout.ts";
import { LAYOUTS } from "./layouts/registry.ts";
import { Lexer } from "./lex.ts";
import { client, NAMELESS } from "./nameless.ts";
import { isNoName, nameAt, WORD_LENGTH } from "./names.ts";
import { redactPrivateKeys } from "./pem.ts";
import { findCells } from "./tables.ts";
import { code, STRING, WORD } from "./tokens.ts";
import { redactUrls } from "./url.ts";

/** A cache of the kinds of words, and the number of entries at which it is emptied. */
const [KNOWN, WORDS] = [new Map<string, NameKind>(), 20_000];
/** For each hash, the last plain word with this hash. See `#isPlain`. */
const PLAIN: string[] = new Array(4096).fill("");
/** How deep literals inside literals are read. */
const DEPTH = 4;

/** Removes secrets from texts, whatever the name of the whole value is. */
export class TextReader {
  readonly #kindOf: KindOf;
  readonly #report: OnRedaction;
  readonly #budget: Budget;
  readonly #lexers = Array.from({ length: DEPTH + 1 }, () => new Lexer());
  #spans: Span[] = [];

  constructor(kindOf: KindOf, report: OnRedaction, budget: Budget) {
    this.#kindOf = kindOf;
    this.#report = report;
    this.#budget = budget;
  }

  /** Reads a text until nothing more is found. */
  read(value: string): string {
    let text = value;
    for (let round = 0; round < ROUNDS; round++) {
      const clean = this.#readOnce(text);
      if (clean === text) break;
      text = clean;
    }
    return text;
  }

  #readOnce(value: string): string {
    const { length } = value;
    if (length < 6 || (length === 36 && hasUuidJoints(value, 0)) || this.#budget.clean.has(value))
      return value;
    if (!this.#budget.read(value)) return REDACTED;
    const keyless = length < 64 ? value : redactPrivateKeys(value, this.#report);
    const clean = this.#readWords(redactUrls(keyless, this.#report));
    if (clean === value) this.#budget.clean.add(value);
    return clean;
  }

  /** Finds tokens by their formats, then tables, then names with their values. */
  #readWords(text: string): string {
    this.#spans = [];
    const add = (span: Span) => this.#spans.push(span);
    findTokens(text, add);
    findCells(text, this.#wordKind, add);
    const budget = { left: 4 * text.length + 65_536 };
    for (const { tokens } of this.#lexers) tokens.budget = budget;
    this.#readPart(text, 0, text.length, 0);
    return cut(text, this.#spans, this.#report);
  }

  #readPart(text: string, from: number, to: number, depth: number): void {
    const t = (this.#lexers[depth] as Lexer).read(text, from, to, depth > 0);
    if (!this.#budget.take("token", t.count)) return;
    const r: TextReading = { t, kindOf: this.#wordKind, until: 0, add: () => {} };
    r.add = (span) => {
      r.until = span.end;
      this.#spans.push(span);
    };
    for (let i = 0; i < t.count; i++) {
      const kind = t.kind[i];
      if ((kind !== WORD && kind !== STRING) || (t.start[i] as number) < r.until) continue;
      const start = t.from[i] as number;
      const end = t.to[i] as number;
      // A literal is also read as a separate text, because it may contain names and values.
      if (kind === STRING && end - start >= 8 && depth < DEPTH) this.#readPart(text, start, end, depth + 1);
      if (kind === WORD && this.#isPlain(text, start, end)) {
        if (t.is(i + 1, code("("))) client(r, i);
        continue;
      }
      const word = t.textAt(i);
      const name = nameAt(t, i, word, this.#wordKind);
      if (name !== null) {
        if (!this.#budget.take("look")) return;
        const next = afterName(t, i);
        if (LAYOUTS.some((layout) => layout.read(r, name, next))) continue;
      }
      if (kind === WORD && !NAMELESS.get(word)?.(r, i) && t.is(i + 1, code("("))) client(r, i);
    }
  }

  /**
   * Returns whether a word can be neither a name nor a command, whatever surrounds it. Most words equal the last
   * such word with the same hash, so they need no new string and no search.
   */
  #isPlain(text: string, start: number, end: number): boolean {
    const length = end - start;
    if (length > WORD_LENGTH) return true;
    const middle = text.charCodeAt(start + (length >> 1));
    const place =
      (length * 521 + text.charCodeAt(start) * 31 + middle * 7 + text.charCodeAt(end - 1) * 131) & 4095;
    const last = PLAIN[place] as string;
    if (last.length === length && text.startsWith(last, start)) return true;
    const word = text.slice(start, end);
    const isPlain = isNoName(word, this.#wordKind(word)) && !NAMELESS.has(word);
    // Longer words are not kept: the engine stores them as references to the whole text, which would stay in memory.
    if (isPlain && length < 13 && this.#budget.exceeded === null) PLAIN[place] = word;
    return isPlain;
  }

  readonly #wordKind = (word: string): NameKind => {
    const known = KNOWN.get(word);
    if (known !== undefined) return known;
    const kind = this.#kindOf(word);
    // When the budget is used up, kinds are not reliable, so they are not cached.
    if (this.#budget.exceeded !== null) return kind;
    if (KNOWN.size >= WORDS) KNOWN.clear();
    KNOWN.set(word, kind);
    return kind;
  };
}

/** Replaces each span by `[redacted]`. A span that begins inside an earlier one is removed with it and not reported. */
function cut(text: string, spans: Span[], report: OnRedaction): string {
  if (spans.length === 0) return text;
  let out = "";
  let kept = 0;
  for (const { start, end, rule } of spans.sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (end > kept && start >= kept) {
      report(rule);
      out += text.slice(kept, start) + REDACTED;
    }
    kept = Math.max(kept, end);
  }
  return out + text.slice(kept);
}
