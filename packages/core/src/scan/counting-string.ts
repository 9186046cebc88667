/** How often the parser may go back and read again: 512 KB of ordinary code needs up to about 12,000. */
const MAX_STEPS_BACK = 30_000;
/** Reads per character: one parse of the densest code reads each character four times. */
const READS_PER_CHARACTER = 5;

/** Stops the parser at the limit: the parser catches only its own errors, so this one passes through. */
export class ReadLimitExceeded extends RangeError {}

/**
 * A string that counts its reads. Where `<`, `(` or `?` may begin several constructs, the parser tries one after the
 * other. Each level of nesting doubles its work: `f<T>(f<T>(…` of a hundred characters takes hours. The parser reads
 * every character through `charCodeAt`, so a limit on these reads and on the steps back bounds its work for any source.
 * `limits` holds the steps that are left for all ways of parsing one source.
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
    // Forward reads are bounded by the steps back before them, and those are counted.
    if (index <= last) {
      this.#left -= last - index + 1;
      // Most reads are of the same character again or of the one before it: these are no step back.
      if (this.#left < 0 || (index < last - 1 && --this.#limits.steps < 0)) throw new ReadLimitExceeded();
    }
    return this.#text.charCodeAt(index);
  }

  // The inherited methods would convert the object to a string again for each word.
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
