/**
 * Source shapes that make the parser slow although it reads each character only a few times. The bounds are far above
 * hand-written code, and each keeps the parser within about half a second.
 */

/**
 * After each block comment the parser searches for the next line break, so thousands of comments on one long line take
 * quadratic time.
 */
const LOOKAHEAD = 300_000_000;
/** Each `<` that is not what the parser tried first costs a complete error object. */
const OPENS = 16_000;
/** Each block and each function has its own table of names, about a kilobyte. Minified code has at most one per 50 characters. */
const SCOPES = 30_000;
/** The parser compares each `var` with the names of all enclosing blocks. */
const VARS_TIMES_DEPTH = 12_000_000;

/** Whether a source is cheap enough to parse. */
export function isCheapToParse(source: string): boolean {
  return (
    lookahead(source) <= LOOKAHEAD &&
    opens(source) <= OPENS &&
    count(source, "{") + count(source, "=>") <= SCOPES &&
    varsTimesDepth(source) <= VARS_TIMES_DEPTH
  );
}

function lookahead(source: string): number {
  let sum = 0;
  let breakAt = -1;
  for (let at = source.indexOf("/*"); at >= 0; at = source.indexOf("/*", at + 2)) {
    if (breakAt < at) breakAt = source.indexOf("\n", at);
    if (breakAt < 0) breakAt = source.length;
    sum += breakAt - at;
  }
  return sum;
}

/** The number of `<` that may open a tag or type arguments. */
function opens(source: string): number {
  let count = 0;
  for (let at = source.indexOf("<"); at >= 0; at = source.indexOf("<", at + 1)) {
    const next = source[at + 1];
    if (next !== "/" && next !== "=" && next !== "<") count++;
  }
  return count;
}

function count(source: string, text: string): number {
  let found = 0;
  for (let at = source.indexOf(text); at >= 0; at = source.indexOf(text, at + text.length)) found++;
  return found;
}

/** The number of `var`s times the deepest nesting of braces, strings and comments included. */
function varsTimesDepth(source: string): number {
  const vars = count(source, "var");
  if (vars < 2000) return 0;
  let [depth, deepest] = [0, 0];
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
    if (code === 123) deepest = Math.max(deepest, ++depth);
    else if (code === 125) depth--;
  }
  return vars * deepest;
}

/** The number of words and punctuators, strings and comments included: each takes the parser about a microsecond. */
export function tokensIn(source: string): number {
  let count = 0;
  let inWord = false;
  for (let at = 0; at < source.length; at++) {
    const code = source.charCodeAt(at);
    const word = code > 127 || (code > 47 && code < 58) || ((code | 32) > 96 && (code | 32) < 123);
    if ((word && !inWord) || (!word && code > 32)) count++;
    inWord = word;
  }
  return count;
}
