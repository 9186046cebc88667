/** A word in a literal whose opening mark is more than one quote. */
const LITERALS = [
  // Lua: `[[x]]`, `[==[x]==]`.
  /\[(={0,8})\[\s{0,4}([^\s"'`[\]]{3,4000})\s{0,4}\]\1\]/dy,
  // C++: `R"(x)"`, `R"mark(x)mark"`.
  /(?:L|u8?|U)?R"(\w{0,16})\(([^\s"()]{3,4000})\)\1"/dy,
  // Rust and Swift: `r#"x"#`, `#"x"#`.
  /r?(#{1,4})"([^\s"]{3,4000})"\1/dy,
  // Ruby and Perl: `%q(x)`, `qq{x}`, `q[x]`.
  /(%[qQ]?|qq?)(?:\((?=[^\s"'()]{3,400}\))|\{(?=[^\s"'{}]{3,400}\})|\[(?=[^\s"'[\]]{3,400}\]))([^\s"'()[\]{}]{3,400})/dy,
];
/** First characters of these: `[`, `L`, `u`, `U`, `R`, `r`, `#`, `%`, `q`. */
const OPENS = new Uint8Array(128);
for (const char of "[LuURr#%q") OPENS[char.charCodeAt(0)] = 1;
/** Letters and signs before the quote of a literal: `L"x"`, `N'x'`, `$'x'`, `rb"x"`, `$@"x"`. */
const PREFIX = /(?:[LUNE]|u8?|rb|br|[$@]{1,2})(?=["'])/y;

/** The word of the literal at `at` whose opening mark is more than one quote; null when there is none. */
export function literalAt(text: string, at: number): { start: number; end: number } | null {
  const c = text.charCodeAt(at);
  if (!(c < 128) || OPENS[c] === 0) return null;
  for (const pattern of LITERALS) {
    pattern.lastIndex = at;
    const place = pattern.exec(text)?.indices?.[2];
    if (place !== undefined) return { start: place[0], end: place[1] };
  }
  return null;
}

/** How long the prefix of a quoted literal at `at` is. */
export function prefixAt(text: string, at: number): number {
  PREFIX.lastIndex = at;
  return PREFIX.exec(text)?.[0].length ?? 0;
}
