import type { Excess } from "./types.ts";

/** The budget for one value: the number of characters that may be read. The largest kit of ordinary content, 6 MB, needs less. */
const CHARACTERS = 24_000_000;
/** The cost of each other kind of work, as the number of characters that could be read in the same time. */
const COSTS = { token: 10, name: 300, look: 500, key: 100, foreignKey: 500, value: 4, again: 24 } as const;
/** Parsing and printing a JSON text costs as much as reading the text this many times. */
export const JSON_TIMES = 4;

/** The most receipts for one value. A value that needs more is refused. */
const RECEIPTS = 5_000;

/** The most times that a text is read, and that a whole value is read again. A removal may reveal another secret in what is left. */
export const ROUNDS = 4;

/**
 * Counts the budget that one value has used. Beyond the limit nothing more is read, everything unread is removed,
 * and the value is refused. The budget also remembers texts in which nothing was found, so that each is read once.
 */
export class Budget {
  /** `clean`: texts in which no secret was found. `cleanJson`: such JSON texts; under a credential's name they are read again. */
  readonly clean = new Set<string>();
  readonly cleanJson = new Set<string>();
  exceeded: Excess | null = null;
  #left = CHARACTERS;
  #receipts = 0;

  /** Charges for reading a text `times` times. Returns false when the budget is used up. */
  readonly read = (text: string, times = 1): boolean => this.#spend(times * text.length);

  /** Charges for `times` units of another kind of work. Returns false when the budget is used up. */
  readonly take = (what: keyof typeof COSTS, times = 1): boolean => this.#spend(times * COSTS[what]);

  /** Counts a receipt. Returns false when there are too many receipts or the budget is used up. */
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
