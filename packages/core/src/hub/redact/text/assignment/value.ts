import type { AssignedValue, AssignmentName, Budget } from "../../types.ts";
import { chatReplyPrefix } from "./chat-reply.ts";
import { encodedValue, separatorLength } from "./percent-encoded.ts";
import { readBare, readElement, readEnclosed, readLiteral } from "./value-forms.ts";
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
  } else if ((separator === 124 || separator === 63) && text.charCodeAt(at + 1) === separator) {
    // What a variable of the environment falls back to: `process.env.API_KEY ?? "x"`.
    p = at + 2;
    if (!VARIABLE.test(text.slice(Math.max(0, at - 60), at)) || !/^\s{0,4}["'`]/.test(text.slice(p, p + 5)))
      return null;
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
    // `Password: <code>x</code>`.
    p += /^<(?:code|b|strong|kbd|tt|samp|mark|em|i)>/i.exec(text.slice(p, p + 8))?.[0].length ?? 0;
    // The marks of a block of YAML: `key: >-`.
    const mark = text.charCodeAt(p);
    if (mark === 124 || mark === 62)
      p += /^[|>][+-]?\d?(?=\r?\n[ \t])/.exec(text.slice(p, p + 6))?.[0].length ?? 0;
    const c = text.charCodeAt(p);
    if (c === 10 || c === 13) {
      BELOW.lastIndex = p;
      const lead = BELOW.exec(text)?.[1] ?? chatReplyPrefix(text, at, p);
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

/** `env.API_KEY`, `env["API_KEY"]`, at the end of a text. */
const VARIABLE = /[.["'][A-Z][A-Z\d]*_[A-Z\d_]+["'\])]{0,3}\s{0,3}$/;

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
