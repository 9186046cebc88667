/**
 * One format of a secret, declared in one place. The registry of formats determines the tokens that redaction and
 * verification find, the texts that the database refuses, and the rules that a receipt may name.
 */
export interface SecretFormat {
  /** The rule that receipts name. */
  id: string;
  /** The fixed beginnings, of two ASCII characters or more, before the pattern. Without prefixes, the pattern matches the whole token. */
  prefixes: readonly string[];
  /**
   * The regular expression of the part after the prefix. It must be linear: no unlimited repetition of a group. Most lengths are lower
   * bounds, because providers lengthen their tokens more often than they shorten them.
   */
  pattern: string;
  /** The part after the prefix must look random, because ordinary words begin with this prefix too. */
  random?: true;
  /** Only for a format without prefixes: the signs that may follow the token's first run of letters, digits, `_` and `-`. */
  joints?: string;
  /** Almost no other text matches the format, so the database refuses texts with a match. The value says where a match may begin. */
  portable?: Portable;
}

/**
 * Where the portable form of a format may begin: anywhere, or at the start of a word. A
 * format has another pattern here if its own pattern would be too slow without a fixed start.
 */
export type Portable = "anywhere" | "word" | { pattern: string };

/** Shorthands for patterns: letters and digits, the same with `_` and `-`, hex; each at least `n` characters. */
export const alnum = (n: number): string => `[A-Za-z0-9]{${n},}`;
export const word = (n: number): string => `[A-Za-z0-9_-]{${n},}`;
export const hex = (n: number): string => `[A-Fa-f0-9]{${n},}`;
export const UUID = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";

/** Returns a regular expression that matches only this text. */
export const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
