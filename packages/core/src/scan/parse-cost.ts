/**
 * Source shapes that make the parser slow although it reads each character only a few times. The
 * bounds are far above hand-written code, and each one keeps the parser within about half a second.
 */

/** After each block comment the parser searches for the next line break: thousands on one long line take quadratic time. */
const LOOKAHEAD = 300_000_000;
/** Each `<` for which the parser's first attempt is wrong costs a complete error object. */
const OPENS = 16_000;
/** Each block and each function has its own table of names of about a kilobyte. */
const SCOPES = 30_000;
/** Each statement, member and call makes a node of almost a kilobyte. The densest of sixty minified files has 38,000 such signs. */
const NODES = 120_000;
/** The parser compares each `var` with the names of all enclosing blocks. */
const VARS_TIMES_DEPTH = 12_000_000;

/** Returns whether a source is cheap enough to parse. */
export function isCheapToParse(source: string): boolean {
  const count = (pattern: RegExp) => source.match(pattern)?.length ?? 0;
  if (count(/<[^/=<]/g) > OPENS || count(/\{|=>/g) > SCOPES || count(/[.;(]/g) > NODES) return false;
  let [depth, deepest] = [0, 0];
  for (const brace of source.match(/[{}]/g) ?? [])
    deepest = Math.max(deepest, brace === "{" ? ++depth : --depth);
  let [lookahead, breakAt] = [0, -1];
  for (let at = source.indexOf("/*"); at >= 0; at = source.indexOf("/*", at + 2)) {
    if (breakAt < at) breakAt = source.indexOf("\n", at);
    if (breakAt < 0) breakAt = source.length;
    lookahead += breakAt - at;
  }
  return count(/var/g) * deepest <= VARS_TIMES_DEPTH && lookahead <= LOOKAHEAD;
}
