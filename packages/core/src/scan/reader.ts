/** Places at which the parser may go back and read again: 512 KB of ordinary code has up to some 12,000. */
const RETURNS = 30_000;
/** Reads of one character: the densest code takes four of each, once through. */
const READS_EACH = 5;

/** Ends the parser when the limit is reached: the parser handles its own errors and lets any other one pass. */
export class TooMuchReading extends RangeError {}

/** What all ways of reading one source may take together. */
export interface Readings {
  returns: number;
}

export function newReadings(): Readings {
  return { returns: RETURNS };
}

/**
 * A text that counts how it is read. Where `<`, `(` or `?` may begin several things, the parser tries one after the
 * other, and such places inside one another double its work each: `f<T>(f<T>(…` of a hundred characters takes it hours.
 * It reads every character through `charCodeAt`, so counting these reads, and the steps back among them, bounds it
 * whatever the shape is.
 */
export class Reader extends String {
  readonly #text: string;
  readonly #readings: Readings;
  #left: number;
  #last = 0;
  /** The furthest character from which the parser went back. */
  #turned = 0;

  constructor(text: string, readings: Readings) {
    super(text);
    this.#text = text;
    this.#readings = readings;
    this.#left = READS_EACH * text.length + RETURNS;
  }

  /** About the furthest character that was looked at. */
  get furthest(): number {
    return Math.max(this.#turned, this.#last);
  }

  override charCodeAt(index: number): number {
    const last = this.#last;
    this.#last = index;
    // Reads ahead are bounded by the steps back before them, and those are counted.
    if (index <= last) {
      const left = this.#left - (last - index + 1);
      this.#left = left;
      // The same character once more, or the one before it, is most of what is read: nothing else is to do then.
      if (left < 0 || index < last - 1) this.#stepBack(last);
    }
    return this.#text.charCodeAt(index);
  }

  #stepBack(last: number): void {
    if (this.#left < 0) throw new TooMuchReading();
    if (--this.#readings.returns < 0) throw new TooMuchReading();
    if (last > this.#turned) this.#turned = last;
  }

  // Of an object, these would first turn it into a text again, for each word.
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
