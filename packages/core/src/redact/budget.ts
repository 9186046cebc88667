import type { Excess } from "./types.ts";

/** The budget for one value, in characters that are read once. The largest kit of ordinary content, 6 MB, stays within it. */
const CHARACTERS = 24_000_000;
/** What other work counts as: the characters that could be read in the same time. */
const COSTS = { token: 10, name: 300, look: 500, key: 100, foreignKey: 500, value: 4, again: 24 } as const;
/** How many times a text counts when it is parsed and printed as JSON. */
export const JSON_TIMES = 4;

/** The most things that are removed from one value. */
const RECEIPTS = 5_000;

/** How often a value, or a text in it, is read again after something was removed from it. */
export const ROUNDS = 4;

/**
 * What was spent on one value so far. Beyond the limit nothing more is read and everything unread is removed; such a value is
 * refused. It also remembers which texts hold nothing, so that each is read once.
 */
export class Budget {
  /** Texts in which nothing was found, and texts of JSON in which nothing is found unless a name marks their value as a secret. */
  readonly clean = new Set<string>();
  readonly cleanJson = new Set<string>();
  exceeded: Excess | null = null;
  #left = CHARACTERS;
  #receipts = 0;

  /** Counts a text that is going to be read, `times` times; false when the budget is used up. */
  readonly read = (text: string, times = 1): boolean => this.#spend(times * text.length);

  /** Counts other budget. */
  readonly take = (what: keyof typeof COSTS, times = 1): boolean => this.#spend(times * COSTS[what]);

  /** Counts a receipt; false when there are too many of them. */
  takeReceipt(): boolean {
    return ++this.#receipts <= RECEIPTS
      ? this.exceeded === null
      : this.#exceed("too_many_secrets", `has more than ${RECEIPTS} places that look like a secret`);
  }

  #spend(characters: number): boolean {
    if (this.exceeded !== null) return false;
    this.#left -= characters;
    return (
      this.#left >= 0 || this.#exceed("too_much_to_read", "takes too much to be looked through for secrets")
    );
  }

  #exceed(code: string, message: string): false {
    this.exceeded ??= { path: "", code, message };
    return false;
  }
}
