/**
 * The budget for following values. A step is one expression or statement that is evaluated again: in another call, or in
 * another round of a loop. What is read or made by a step that copies is charged by its length. Everything is evaluated
 * once without being charged, so that the budget never hides what is plain.
 */

/** Steps for the whole file: about a third of a second. */
const FILE = 600_000;
/** Steps for one call from outside another: enough to decode some kilobytes. */
const CALL = 60_000;
/** Characters or items that a step copies at the price of one. */
const COPIED = 32;

/** The longest string and list that are made. */
export const MAX_TEXT = 65_536;
export const MAX_ITEMS = 10_000;
/** How deep calls of the file's own functions are followed. */
export const MAX_CALLS = 24;
/** With how many scopes a function is looked at by itself. */
export const MAX_SCOPES = 4;
/** The longest host path. */
export const MAX_PATH = 120;

export class Budget {
  #file = FILE;
  #call = 0;
  #depth = 0;
  /** Whether something was not followed because nothing was left. */
  exceeded = false;

  /** Charges copied characters or items; false when nothing is left. */
  charge(copied: number): boolean {
    return this.step(1 + Math.ceil(copied / COPIED));
  }

  /** Charges steps; false when nothing is left. */
  step(steps = 1): boolean {
    if (this.#depth === 0) {
      this.#file -= steps;
      if (this.#file > 0) return true;
    } else {
      this.#call -= steps;
      if (this.#call > 0) return true;
    }
    this.exceeded = true;
    return false;
  }

  /** Whether steps are charged: inside a call or a further round of a loop. */
  get repeats(): boolean {
    return this.#depth > 0;
  }

  /** Runs a call or the rounds of a loop; the outermost gets a share of the file's budget and gives the rest back. */
  repeat<T>(work: () => T): T {
    if (this.#depth === 0) this.#call = Math.max(0, Math.min(CALL, this.#file));
    if (this.#depth === 0) this.#file -= this.#call;
    this.#depth++;
    try {
      return work();
    } finally {
      this.#depth--;
      if (this.#depth === 0) this.#file += Math.min(0, this.#call) + Math.max(0, this.#call);
    }
  }

  /** Runs a function by itself: its first evaluation is not charged, wherever it is started. */
  get left(): boolean {
    return this.#depth === 0 ? this.#file > 0 : this.#call > 0;
  }
}
