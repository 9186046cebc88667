import { type Budget, ROUNDS } from "../budget.ts";
import { REDACTED } from "../evidence/credential-value.ts";
import { hasUuidJoints } from "../evidence/entropy.ts";
import type { KindOf, NameKind, Report } from "../types.ts";
import { redactPrivateKeys } from "./pem.ts";
import { readText } from "./read-text.ts";
import { redactUrls } from "./url.ts";

/** The kinds of words in texts: a cache, emptied when it holds so many. */
const KINDS = new Map<string, NameKind>();
const WORDS = 20_000;

/** Removes secrets from texts, whatever the name of the value is. */
export class TextReader {
  readonly #kindOf: KindOf;
  readonly #report: Report;
  readonly #budget: Budget;

  constructor(kindOf: KindOf, report: Report, budget: Budget) {
    this.#kindOf = kindOf;
    this.#report = report;
    this.#budget = budget;
  }

  /** Reads a text until nothing more is found in it. */
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
    const clean = readText(redactUrls(keyless, this.#report), this.#wordKind, this.#report, () =>
      this.#budget.take("look"),
    );
    if (clean === value) this.#budget.clean.add(value);
    return clean;
  }

  readonly #wordKind = (word: string): NameKind => {
    let kind = KINDS.get(word);
    if (kind === undefined) {
      kind = this.#kindOf(word);
      // Beyond the budget nothing is judged.
      if (this.#budget.exceeded !== null) return kind;
      if (KINDS.size >= WORDS) KINDS.clear();
      KINDS.set(word, kind);
    }
    return kind;
  };
}
