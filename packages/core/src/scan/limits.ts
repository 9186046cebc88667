/** Steps for the whole file: some tenths of a second. */
const FILE = 200_000;
/** Steps for one call or loop outside any other: enough to decode some kilobytes. */
const SHARE = 50_000;
/** Characters or items that are copied at the price of one step. */
const COPIED = 8;

/** The longest string, list and host path that are made. */
export const MAX_TEXT = 65_536;
export const MAX_ITEMS = 10_000;
export const MAX_PATH = 120;
/** How deep calls of the file's own functions are followed, and with how many scopes each is looked at by itself. */
export const MAX_CALLS = 24;
export const MAX_SCOPES = 4;

/**
 * What evaluating again may cost: in another call, or in another round of a loop. All code is evaluated once without
 * being charged, so that the budget never hides what is plain. A value beyond the budget is unknown, and a finding where
 * it is called or requested.
 */
export class StepBudget {
  #file = FILE;
  #share = 0;
  #depth = 0;

  /** Whether something is evaluated again now. */
  get repeats(): boolean {
    return this.#depth > 0;
  }

  get left(): boolean {
    return this.#depth > 0 ? this.#share > 0 : this.#file > 0;
  }

  /** Charges a step, and what it copies; false when nothing is left. */
  charge(copied = 0): boolean {
    const steps = 1 + Math.ceil(copied / COPIED);
    if (this.#depth > 0) this.#share -= steps;
    else this.#file -= steps;
    return this.left;
  }

  /** Evaluates again. The outermost of these gets a share of the file's budget, and what is left of it goes back. */
  repeat<T>(work: () => T): T {
    if (this.#depth++ === 0) {
      this.#share = Math.min(SHARE, this.#file);
      this.#file -= this.#share;
    }
    const value = work();
    if (--this.#depth === 0) this.#file += this.#share;
    return value;
  }
}
