import type { Fault } from "../../problem.ts";

/**
 * What one value may take to read, in characters that are read once. The largest kit of ordinary content, 6 MB, takes
 * five sixths of it. Everything else counts as the text that could be read in its time.
 */
const CHARACTERS = 24_000_000;
export const COSTS = {
  /** A name in a text that is judged. */
  name: 300,
  /** A word whose surroundings are looked at or that a command is given, or a value under a credential's name. */
  look: 500,
  /** A separator that texts seldom have. */
  separator: 50,
  /** A key that is judged, in ASCII and beyond it. */
  key: 100,
  foreignKey: 500,
  /** A value, for the first time and again. */
  value: 4,
  again: 24,
} as const;
/**
 * How often a text counts that is parsed and printed as JSON, that all certain patterns are tried on, that is a value
 * which may be a credential, or that is normalised visually.
 */
export const [JSON_TIMES, PORTABLE_TIMES, VALUE_TIMES, SKELETON_TIMES] = [4, 6, 4, 6];

/** So many things may be taken out of one value. */
export const RECEIPTS = 5_000;

/** How often a value, or a text in it, is read again after something was taken out of it. */
export const ROUNDS = 4;

/**
 * What reading one value has taken so far. Beyond the limit nothing is read any more, and whatever was not is taken out:
 * such a value is refused. It also remembers which texts hold nothing, so that each is read once.
 */
export class Work {
  /** Texts in which nothing was found, and those of JSON that hold nothing where no name says something of them. */
  readonly clean = new Set<string>();
  readonly cleanJson = new Set<string>();
  #left = CHARACTERS;
  #exceeded: Fault | null = null;

  /** Counts a text that is to be read, so many times; false when there is nothing left. */
  read(text: string, times = 1): boolean {
    return this.#spend(times * text.length);
  }

  /** Counts so many characters of values under names of credentials. */
  readValue(characters: number): boolean {
    return this.#spend(VALUE_TIMES * characters);
  }

  /** Counts something else likewise. */
  take(what: keyof typeof COSTS): boolean {
    return this.#spend(COSTS[what]);
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
