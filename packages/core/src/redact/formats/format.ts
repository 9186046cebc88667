/**
 * One format of a secret, declared in one place. Which texts are tried on it, what verification looks for, what the database
 * refuses and what a receipt may name are derived from the registry.
 */
export interface Format {
  /** The rule that receipts name. */
  id: string;
  /** Fixed beginnings, of two ASCII characters or more, that the pattern follows. None: the pattern is the whole token. */
  prefixes: readonly string[];
  /**
   * The regular expression of the rest. It must be linear: one class for each quantifier, no nesting. Lengths are lower bounds:
   * providers lengthen their tokens more often than they shorten them.
   */
  pattern: string;
  /** The part after the prefix has to look random: for prefixes that also begin ordinary words. */
  random?: true;
  /** Without prefixes: the characters one of which ends the token's first run of letters, digits, `_` and `-`. */
  joints?: string;
  /** Almost nothing else has this form: verification and the database use it, too. */
  portable?: Portable;
}

/**
 * Where the portable form of a format may begin: anywhere, or at the start of a word. A format whose own pattern would be
 * too slow without a fixed start has another pattern.
 */
export type Portable = "anywhere" | "word" | { pattern: string };

/** Shorthands of patterns: letters and digits, with `_` and `-`, hex; at least `n` of them. */
export const alnum = (n: number): string => `[A-Za-z0-9]{${n},}`;
export const word = (n: number): string => `[A-Za-z0-9_-]{${n},}`;
export const hex = (n: number): string => `[A-Fa-f0-9]{${n},}`;
export const UUID = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";

/** A text as a regular expression that matches nothing else. */
export const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
