/** How often the parser may go back and read again. 512 KB of ordinary code needs up to about 12,000 steps back. */
const MAX_STEPS_BACK = 30_000;
/** Reads per character. A parse of the densest code reads each character four times. */
const READS_PER_CHARACTER = 5;

/** Stops the parser at the limit. The parser catches only its own errors, so this one passes through it. */
export class ReadLimitExceeded extends RangeError {}

/**
 * A string that counts its reads. Where `<`, `(` or `?` may begin several constructs, the parser tries one
 * after the other, so each level of nesting doubles its work: `f<T>(f<T>(…` of a hundred characters takes
 * hours. The parser reads every character through `charCodeAt`, so limits on reads and steps back bound
 * its work for any source. `limits` holds the remaining steps, shared by all ways of parsing one source.
 */
export class CountingString extends String {
  readonly #text: string;
  readonly #limits: { steps: number };
  #left: number;
  #last = 0;

  constructor(text: string, limits = { steps: MAX_STEPS_BACK }) {
    super(text);
    this.#text = text;
    this.#limits = limits;
    this.#left = READS_PER_CHARACTER * text.length + MAX_STEPS_BACK;
  }

  override charCodeAt(index: number): number {
    const last = this.#last;
    this.#last = index;
    // Forward reads need no limit: steps back come before them, and these are counted.
    if (index <= last) {
      this.#left -= last - index + 1;
      // Most reads repeat the same character or the one before it; these do not count as a step back.
      if (this.#left < 0 || (index < last - 1 && --this.#limits.steps < 0)) throw new ReadLimitExceeded();
    }
    return this.#text.charCodeAt(index);
  }

  // Without these overrides, the inherited methods would convert the object to a string again for each word.
  override slice(start?: number, end?: number): string {
    return this.#text.slice(start, end);
  }

  override codePointAt(index: number): number | undefined {
    return this.#text.codePointAt(index);
  }

  override indexOf(searched: string, from?: number): number {
    return this.#text.indexOf(searched, from);
  }
}

export const newReadLimits = () => ({ steps: MAX_STEPS_BACK });
