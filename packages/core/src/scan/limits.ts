/** The most steps of repeated evaluation for the whole file. They take a few tenths of a second. */
const FILE = 200_000;
/** The most steps for one outermost call or loop: enough to decode some kilobytes. */
const SHARE = 50_000;
/** Copying this many characters or items costs one step. */
const COPIED = 8;

/** The longest string (in characters), list (in items) and host path (in characters) that the scan makes. */
export const MAX_TEXT = 65_536;
export const MAX_ITEMS = 10_000;
export const MAX_PATH = 120;
/** The scan follows calls of the file's own functions inside one another up to this depth. */
export const MAX_CALLS = 24;

/**
 * Limits repeated evaluation: further calls of a function and further rounds of a loop. All code is evaluated once without charge, so that
 * a used-up budget never hides plain code. A value that exceeds the budget is unknown. A call of it or a request to it is a finding.
 */
export class StepBudget {
  #file = FILE;
  #share = 0;
  #depth = 0;

  /** True during a repeated evaluation. */
  get repeats(): boolean {
    return this.#depth > 0;
  }

  get left(): boolean {
    return this.#depth > 0 ? this.#share > 0 : this.#file > 0;
  }

  /** Charges one step plus the cost of copying. Returns false when the budget is used up. */
  charge(copied = 0): boolean {
    const steps = 1 + Math.ceil(copied / COPIED);
    if (this.#depth > 0) this.#share -= steps;
    else this.#file -= steps;
    return this.left;
  }

  /** Runs a repeated evaluation. The outermost one gets a share of the file's steps; steps that it does not use go back to the file. */
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
