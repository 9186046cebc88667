/**
 * Shapes that make the parser slow although it reads each character but a few times. The bounds are far above what
 * people write, and each keeps the parser within about half a second.
 */

/**
 * After each block comment the parser looks for the next line break, so thousands of them on one long line cost it the
 * square of their number.
 */
const LOOKAHEAD = 300_000_000;
/** Each `<` that turns out to be something else than tried first costs it an error with all that belongs to one. */
const OPENS = 16_000;
/** Each block and each function has a list of names of its own, about a kilobyte. Compressed programs have one in 50 characters and more. */
const SCOPES = 60_000;
/** It compares each `var` with the names of all blocks around it. */
const VARS_TIMES_DEPTH = 12_000_000;

/** Whether the parser can be let loose on a source. */
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

/** `<` that may open a tag or a list of types. */
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

/** The number of `var`s times the deepest nesting of braces, whether in texts and comments or not. */
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

/** Words and signs in a source, texts and comments included: each takes the parser about a microsecond. */
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
