/** One token format: a fixed beginning (at least three characters) and the whole token, matched where it begins. */
export interface TokenRule {
  rule: string;
  prefix: string;
  pattern: RegExp;
  /** Whether the part after the prefix has to look random: for prefixes that also begin ordinary words. */
  random: boolean;
}

/**
 * Makes a rule. `body` is the regular expression of what follows the prefix; it must be linear (one class per
 * quantifier, no nesting). Lengths are lower bounds: providers lengthen their tokens more often than they shorten them.
 */
export function token(rule: string, prefix: string, body: string, random = false): TokenRule {
  const literal = prefix.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return { rule, prefix, pattern: new RegExp(literal + body, "y"), random };
}

/** Shorthands of bodies: letters and digits, with `_` and `-`, hex; at least `n` of them. */
export const alnum = (n: number): string => `[A-Za-z0-9]{${n},}`;
export const word = (n: number): string => `[A-Za-z0-9_-]{${n},}`;
export const hex = (n: number): string => `[A-Fa-f0-9]{${n},}`;
export const UUID = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";
