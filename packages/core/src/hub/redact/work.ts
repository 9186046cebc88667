import type { Fault } from "../../problem.ts";

/**
 * What one value may take to read, in characters: each text counts as often as it is read, and each name that is judged as
 * much as a text of its cost. An ordinary value takes about two for each of its own; the largest kit has 6 million.
 */
const CHARACTERS = 40_000_000;
const NAME = 200;
/** So many things may be taken out of one value. */
export const RECEIPTS = 5_000;

/** Counts what reading takes. Beyond the limit nothing is read any more, and whatever was not is taken out. */
export class Work {
  #left = CHARACTERS;
  #exceeded: Fault | null = null;

  /** False when there is nothing left. */
  read(text: string): boolean {
    return this.#spend(text.length);
  }

  judgeName(): boolean {
    return this.#spend(NAME);
  }

  tooManyReceipts(): void {
    const message = `has more than ${RECEIPTS} places that look like a secret`;
    this.#exceeded ??= { path: "", code: "too_many_secrets", message };
  }

  get exceeded(): Fault | null {
    return this.#exceeded;
  }

  #spend(characters: number): boolean {
    if (this.#exceeded !== null) return false;
    this.#left -= characters;
    if (this.#left >= 0) return true;
    const message = "takes too much to be looked through for secrets";
    this.#exceeded = { path: "", code: "too_much_to_read", message };
    return false;
  }
}
