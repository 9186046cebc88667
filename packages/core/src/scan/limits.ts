/** Steps for the whole file: a few tenths of a second. */
const FILE = 200_000;
/** Steps for one outermost call or loop: enough to decode some kilobytes. */
const SHARE = 50_000;
/** Copying this many characters or items costs one step. */
const COPIED = 8;

/** The longest string, list and host path that the scan makes. */
export const MAX_TEXT = 65_536;
export const MAX_ITEMS = 10_000;
export const MAX_PATH = 120;
/** How deep calls of the file's own functions are followed. */
export const MAX_CALLS = 24;

/**
 * The limit for repeated evaluation: in another call, or in another round of a loop. All code is evaluated once without charge,
 * so the budget never hides plain code. A value beyond the budget is unknown; calling it or requesting it is a finding.
 */
export class StepBudget {
  #file = FILE;
  #share = 0;
  #depth = 0;

  /** Whether the current evaluation is a repeated one. */
  get repeats(): boolean {
    return this.#depth > 0;
  }

  get left(): boolean {
    return this.#depth > 0 ? this.#share > 0 : this.#file > 0;
  }

  /** Charges one step plus the cost of copying. Returns false when nothing is left. */
  charge(copied = 0): boolean {
    const steps = 1 + Math.ceil(copied / COPIED);
    if (this.#depth > 0) this.#share -= steps;
    else this.#file -= steps;
    return this.left;
  }

  /** Runs a repeated evaluation. The outermost one gets a share of the file's budget, and returns what is left of it. */
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
