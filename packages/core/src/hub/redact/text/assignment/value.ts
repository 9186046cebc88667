import { afterScheme } from "../../evidence/credential-value.ts";
import type { AssignedValue, AssignmentName, Budget } from "../../types.ts";
import { repliedAfter } from "./chat-reply.ts";
import { literalAt, prefixAt } from "./literals.ts";
import { encodedValue, separatorLength } from "./percent-encoded.ts";
import { afterTags } from "./yaml-tags.ts";

/** The longest value that is read; a longer one is cut there. */
const LONGEST = 4096;

/** Between a quoted name and its value in tables: `"name": "X-API-Key", "value": "…"`, `key="Password" value="…"`. */
const TO_VALUE =
  /["'`\\]{0,4},?\s{0,12}[{\\"'`]{0,4}(?:value|val|Value|VALUE|content|default|defaultValue|string_value|stringValue)\\{0,3}["'`]?\s{0,4}[:=]\s{0,4}/y;

/** Reads the value after the separator at `at`. */
export function readValue(
  text: string,
  at: number,
  name: AssignmentName,
  budget: Budget,
): AssignedValue | null {
  const separator = text.charCodeAt(at);
  let p = at + 1;
  if (separator === 37) {
    p = at + separatorLength(text, at);
    const quoted = encodedValue(text, p, LONGEST);
    budget.characters -= quoted === null ? 0 : quoted.end - p;
    if (quoted !== null) return { ...quoted, enclosed: true, separator };
  } else if (separator === 44) {
    TO_VALUE.lastIndex = at;
    if (TO_VALUE.test(text)) p = TO_VALUE.lastIndex;
    else if (!/^\s{0,12}[[(]?\\{0,3}[fbru]?["'`]/.test(text.slice(at + 1, at + 20))) return null;
  } else if (separator === 62) {
    const arrow = text.charCodeAt(at - 1) === 61 || text.charCodeAt(at - 1) === 45;
    if (!name.element && !arrow) {
      // `<property name="password">x</property>`
      const value =
        name.quoted && NAMED_ELEMENT.test(text.slice(Math.max(0, at - 96), at))
          ? readElement(text, skipSpaces(text, p, true), LONGEST)
          : null;
      budget.characters -= 64;
      return value;
    }
  } else if (separator === 124) {
    // A cell of a table: `| API key | x |`.
    const line = text.slice(Math.max(0, at - 400), at);
    if (!/^\s*\|/.test(line.slice(line.lastIndexOf("\n") + 1))) return null;
  } else if (separator !== 40) {
    const c = text.charCodeAt(p);
    // `::` and `://` are no assignments; `:=`, `=>`, `==` are.
    if (separator === 58 && (c === 58 || (c === 47 && text.charCodeAt(p + 1) === 47))) return null;
    while (p < at + 3 && (text.charCodeAt(p) === 61 || text.charCodeAt(p) === 62)) p++;
  }
  p = skipSpaces(text, p, separator === 58 && name.quoted);
  if (separator === 61 && text.charCodeAt(p) === 92) {
    // In a shell, a backslash at the end of a line continues it.
    p += /^\\\r?\n[ \t]{0,40}/.exec(text.slice(p, p + 44))?.[0].length ?? 0;
  } else if (separator === 58) {
    p = afterTags(text, p);
  }
  // `const apiKey =`, and the literal or the expression on the next line.
  if ((separator === 61 || separator === 58) && !name.query && text.charCodeAt(p) <= 13) {
    NEXT_LINE.lastIndex = p;
    if (NEXT_LINE.test(text) && (separator === 61 || ENDS.test(text.slice(NEXT_LINE.lastIndex, p + 480))))
      p = NEXT_LINE.lastIndex;
  }
  let below = false;
  if (separator === 58 || separator === 0xff1a) {
    // `<b>Token:</b> x`; `my key:` and the key on the next line.
    if (text.charCodeAt(p) === 60 && text.charCodeAt(p + 1) === 47) {
      const close = text.slice(p, p + 12).indexOf(">");
      if (close > 0) p = skipSpaces(text, p + close + 1, false);
    }
    // The marks of a block of YAML: `key: >-`.
    const mark = text.charCodeAt(p);
    if (mark === 124 || mark === 62)
      p += /^[|>][+-]?\d?(?=\r?\n[ \t])/.exec(text.slice(p, p + 6))?.[0].length ?? 0;
    const c = text.charCodeAt(p);
    if (c === 10 || c === 13) {
      BELOW.lastIndex = p;
      const lead = BELOW.exec(text)?.[1] ?? repliedAfter(text, at, p);
      if (lead === null) return null;
      below = true;
      p += lead.length;
    }
  }
  const longest = budget.characters > 0 ? LONGEST : 64;
  const value = name.element
    ? readElement(text, p, longest, text.slice(text.lastIndexOf("<", at) + 1, at))
    : (readEnclosed(text, p, separator, longest) ??
      readLiteral(text, p, separator) ??
      readBare(text, p, separator, name, longest));
  if (value !== null && separator === 61 && isComparison(text, at)) value.compared = true;
  if (value !== null && below) value.below = true;
  budget.characters -= value === null ? 64 : value.end - p;
  return value;
}

/** The end of a tag with an attribute that names the content of the element. */
const NAMED_ELEMENT =
  /\s(?:name|key|property|field|param|parameter|code)=["'][\p{L}\p{N}_. -]{2,60}["']\s?$/u;

/** A line of code that begins with a literal, or with an expression that may contain one. */
const NEXT_LINE =
  /\r?\n[ \t]{1,40}(?=["'`]|[a-z][\w.]{1,60}(?:[ \t]*(?:\?|\|\|)|[([][^\n]{1,80}[\])]\s{0,40}(?:\?|\|\||or\b)|\s{1,40}(?:\?|\|\|)))/y;
/** A literal with the end of a member of an object. */
const ENDS = /^["'`][^"'`\n]{1,400}["'`],[ \t]*\r?(?:\n|$)/;

/** A line of one word, possibly in quotes. */
const BELOW = /(\r?\n\r?\n?[ \t>`-]{0,8})["'`]?[^\s"'`<>:]{6,400}["'`]?[ \t]{0,4}(?=\r?\n|$)/y;

function isComparison(text: string, at: number): boolean {
  return text.charCodeAt(at + 1) === 61 || text.charCodeAt(at - 1) === 33;
}

function skipSpaces(text: string, from: number, lines: boolean): number {
  let p = from;
  while (p < text.length && p < from + 12) {
    const c = text.charCodeAt(p);
    if (c === 32 || c === 9 || c === 42 || c === 0x3000 || (lines && (c === 10 || c === 13))) p++;
    else break;
  }
  return p;
}

/** A quoted value that ends with the same quote on the same line; the quote may be escaped (`\"`). */
function readEnclosed(text: string, from: number, separator: number, longest: number): AssignedValue | null {
  let p = from;
  // In braces, as attributes of JSX: `apiKey={"…"}`.
  const braces =
    separator === 61 ? (/^\{\s{0,2}\(?(?=\\{0,3}["'`])/.exec(text.slice(p, p + 8))?.[0].length ?? 0) : 0;
  p += braces;
  // Prefixes of string literals: f"…", b'…', @"…", and brackets around: ("…").
  if (/[fbru@(]/.test(text[p] ?? "") && /["'`]/.test(text[p + 1] ?? "")) p++;
  else if (/[LUNEur$@]/.test(text[p] ?? "")) p += prefixAt(text, p);
  let slashes = 0;
  while (text.charCodeAt(p) === 92 && slashes < 8) {
    p++;
    slashes++;
  }
  const open = text.charCodeAt(p);
  const close = open === 0x201c ? 0x201d : open === 0xab ? 0xbb : open === 0x300c ? 0x300d : open;
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
function readLiteral(text: string, at: number, separator: number): AssignedValue | null {
  const found = literalAt(text, at);
  return found === null ? null : { ...found, enclosed: true, separator };
}

/** The content of an element, up to the closing tag of this name. */
function readElement(text: string, from: number, longest: number, tag = ""): AssignedValue | null {
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

function readBare(
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
  for (; i < limit; i++) {
    const c = text.charCodeAt(i);
    if (c <= 32 || c === 34 || c === 39 || c === 96 || c === 92 || c === 60 || c === 62) break;
    if (c >= 0x2e80) break;
    if (loose) continue;
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
