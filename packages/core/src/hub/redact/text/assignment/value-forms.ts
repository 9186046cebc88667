import { afterScheme } from "../../evidence/credential-value.ts";
import { isMixedPassword } from "../../evidence/entropy.ts";
import type { AssignedValue, AssignmentName } from "../../types.ts";
import { literalAt, prefixAt } from "./literals.ts";

/** Closing quotes that differ from the opening ones. */
const CLOSES = new Map(
  ["“”", "„“", "‘’", "«»", "‹›", "「」"].map((pair) => [pair.charCodeAt(0), pair.charCodeAt(1)]),
);

/** A quoted value that ends with the same quote on the same line; the quote may be escaped (`\"`). */
export function readEnclosed(
  text: string,
  from: number,
  separator: number,
  longest: number,
): AssignedValue | null {
  let p = from;
  // In braces, as attributes of JSX: `apiKey={"…"}`.
  const braces =
    separator === 61 ? (/^\{\s{0,2}\(?(?=\\{0,3}["'`])/.exec(text.slice(p, p + 8))?.[0].length ?? 0) : 0;
  p += braces;
  // In Python a literal in brackets may begin on the next line.
  if (text.charCodeAt(p) === 40)
    p += /^\(\r?\n[ \t]{1,40}(?=["'])/.exec(text.slice(p, p + 44))?.[0].length ?? 0;
  // Prefixes of string literals: f"…", b'…', @"…", and brackets around: ("…").
  if (/[fbru@(]/.test(text[p] ?? "") && /["'`]/.test(text[p + 1] ?? "")) p++;
  else if (/[LUNEur$@]/.test(text[p] ?? "")) p += prefixAt(text, p);
  let slashes = 0;
  while (text.charCodeAt(p) === 92 && slashes < 8) {
    p++;
    slashes++;
  }
  const open = text.charCodeAt(p);
  const close = CLOSES.get(open) ?? open;
  if (open !== 34 && open !== 39 && open !== 96 && close === open) return null;
  const start = p + 1;
  const limit = Math.min(text.length, start + longest);
  if (
    open === close &&
    slashes === 0 &&
    open !== 96 &&
    text.charCodeAt(start) === open &&
    text.charCodeAt(start + 1) === open
  )
    return readTriple(text, start + 2, separator, limit);
  for (let i = start; i < limit; i++) {
    const c = text.charCodeAt(i);
    if (c === 10 && open !== 96) break;
    if (c === 92 && slashes === 0) {
      i++;
    } else if (c === close) {
      let end = i;
      while (slashes > 0 && end > start && text.charCodeAt(end - 1) === 92) end--;
      if (slashes > 0 && end === i) continue;
      if (braces > 0 && !/^\s{0,2}\)?\s{0,2}\}/.test(text.slice(i + 1, i + 8))) return null;
      return { start, end, enclosed: true, separator };
    }
  }
  // The quote does not close: the rest of the word is the value.
  return null;
}

/** A literal between three quotes, possibly on several lines: one word on each line, not a text. */
function readTriple(text: string, from: number, separator: number, limit: number): AssignedValue | null {
  const body = text.slice(from, limit);
  const close = body.indexOf(text.slice(from - 3, from));
  if (close < 0) return null;
  const [, lead = "", words = ""] =
    /^((?:\\?\s){0,80})([\s\S]*?)\\?\s{0,80}$/.exec(body.slice(0, close)) ?? [];
  if (words === "" || !/^\S+(?:\\?\r?\n[ \t]{0,80}\S+)*$/.test(words)) return null;
  const start = from + lead.length;
  return { start, end: start + words.length, enclosed: true, separator };
}

/** A literal of Lua, C++, Rust, Swift, Ruby or Perl whose opening mark is more than one quote. */
export function readLiteral(text: string, at: number, separator: number): AssignedValue | null {
  const found = literalAt(text, at);
  return found === null ? null : { ...found, enclosed: true, separator };
}

/** The content of an element, up to the closing tag of this name. */
export function readElement(text: string, from: number, longest: number, tag = ""): AssignedValue | null {
  if (text.startsWith("<![CDATA[", from)) {
    const close = text.slice(from + 9, from + 9 + Math.min(longest, 1024)).indexOf("]]>");
    return close <= 0 ? null : { start: from + 9, end: from + 9 + close, enclosed: true, separator: 62 };
  }
  const end = text.slice(from, from + Math.min(longest, 1024)).indexOf("<");
  // Only with its own closing tag it is an element; generics in code are not elements.
  return end <= 0 || text.slice(from + end + 1, from + end + 2 + tag.length) !== `/${tag}`
    ? null
    : { start: from, end: from + end, enclosed: true, separator: 62 };
}

/** A value without quotes: up to a space, a quote or a separator. */
export function readBare(
  text: string,
  from: number,
  separator: number,
  name: AssignmentName,
  longest: number,
): AssignedValue | null {
  let start = from;
  while (start < from + 8 && /["'`\\“]/.test(text[start] ?? "")) start++;
  const limit = Math.min(text.length, start + longest);
  // In `Authorization: Bearer x` the value continues after the scheme.
  let i = start + afterScheme(text.slice(start, start + 40));
  const loose = name.variable && separator === 61 && !name.query;
  const strong = name.password || name.kind === "strong";
  const drawn =
    strong && (!name.query || SETTING.test(text.slice(from - 24, from))) ? endOfPassword(text, i) : 0;
  for (; i < limit; i++) {
    const c = text.charCodeAt(i);
    if (c <= 32 || c === 34 || c === 39 || c === 96 || c === 92 || c === 60 || c === 62) break;
    if (c >= 0x2e80) break;
    if (loose || i < drawn) continue;
    if (c === 44 || c === 59 || c === 41 || c === 93 || c === 125) break;
    if (c === 124 && !(i > start && /\w/.test(text[i + 1] ?? ""))) break;
    if (c === 38) break;
    if (c === 35 && name.query) break;
    if (c === 37 && name.query && text.startsWith("%26", i)) break;
  }
  let end = i;
  while (end > start && /[.,?:]/.test(text[end - 1] as string)) end--;
  // `sk-...` is not a value.
  if (text.startsWith("...", end) || text.charCodeAt(end) === 0x2026) return null;
  return end <= start ? null : { start, end, enclosed: false, separator };
}

/** A setting of a connection string, which looks like a parameter of an address. */
const SETTING = /;[\w ]{2,20}=$/;

/** Signs that end a bare value elsewhere, within a word of letters and digits that is a password: `Rii61&sluA9`. */
function endOfPassword(text: string, from: number): number {
  const word =
    /^[^\s"'`\\<>[\]{}|)]{8,48}/.exec(text.slice(from, from + 48))?.[0].replace(/[.,;:?!]+$/, "") ?? "";
  // The next setting of a form or of a connection string begins after the sign.
  const own = word.replace(/[&;,][\w. -]*=.*$/, "");
  return isMixedPassword(own) ? from + own.length : 0;
}
