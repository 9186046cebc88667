/**
 * Reads the JSON values and Python literals inside a text (`Error code: 429 - {'error': {'code': None}}`). Of a value
 * that is cut off or malformed, it returns the part before that point. Never throws; linear in the length of the text.
 */
export function literalsIn(given: string): { values: unknown[]; prose: string } {
  const text = withoutEscapes(given);
  const whole = text.trim();
  if (whole.startsWith("{") || whole.startsWith("[")) {
    try {
      return { values: [JSON.parse(whole)], prose: "" };
    } catch {
      // The text is not strict JSON; the tolerant reader below reads it.
    }
  }
  const values: unknown[] = [];
  let prose = "";
  let at = 0;
  while (values.length < MAX_VALUES) {
    STARTS.lastIndex = at;
    const start = STARTS.exec(text)?.index;
    if (start === undefined) break;
    const cursor = { text, at: start };
    const value = readValue(cursor, 0);
    if (!isQuoted(text, start)) values.push(value);
    prose += `${text.slice(at, start)} `;
    // A value has at least its opening bracket, so each round advances.
    at = Math.max(cursor.at, start + 1);
  }
  return { values, prose: prose + text.slice(at) };
}

/** A body that was written as a JSON string: `"{\"error\":…}"`, in a log `body="{\"error\":…}"`. Other strings may come from the caller. */
const ESCAPED = /(?:^|\b(?:body|response)=)\s{0,8}"(?=\{\s{0,8}\\")/;

function withoutEscapes(text: string): string {
  const found = ESCAPED.exec(text);
  if (found === null) return text;
  const start = found.index + found[0].length - 1;
  const cursor = { text, at: start };
  const body = readString(cursor);
  return `${text.slice(0, start)} ${body} ${text.slice(cursor.at)}`;
}

const MAX_VALUES = 8;
/** Deeper members do not belong to an error's envelope. */
const MAX_DEPTH = 24;
/** The start of an object or list in JSON, Python, Ruby or Node's output of an object (`{ status: 400, … }`). */
const STARTS = /\{\s{0,16}(?:["'}]|[A-Za-z_]\w{0,40}: )|\[\s{0,16}\{\s{0,16}["']/g;
/** The sign between a member's name and its value: a colon, or an arrow in Ruby. */
const BETWEEN = /:|=>/y;
const SPACE = /[\s,]*/y;
const NUMBER = /-?\d[\d.eE+-]*/y;
const WORD = /[A-Za-z_][\w.]*/y;
const WORDS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
]);

/** Returns whether a value is in quotes, and so part of a request ("Invalid value: '{…}'"). A Python bytes literal (b'{…}') is not. */
function isQuoted(text: string, start: number): boolean {
  return start > 0 && /["'`]/.test(text[start - 1] ?? "") && text[start - 2] !== "b";
}

interface Cursor {
  text: string;
  at: number;
}

function readValue(cursor: Cursor, depth: number): unknown {
  skip(cursor);
  const first = cursor.text[cursor.at];
  if (first === "{") return readObject(cursor, depth + 1);
  if (first === "[" || first === "(") return readList(cursor, depth + 1);
  if (first === '"' || first === "'") return readString(cursor);
  const number = match(cursor, NUMBER);
  if (number !== null) return Number(number);
  const word = match(cursor, WORD);
  // Python's string prefixes: b'…', u'…'.
  if (word !== null && word.length === 1 && /["']/.test(cursor.text[cursor.at] ?? ""))
    return readString(cursor);
  return word === null ? undefined : (WORDS.get(word) ?? null);
}

function readObject(cursor: Cursor, depth: number): unknown {
  const members: Record<string, unknown> = Object.create(null);
  cursor.at += 1;
  for (;;) {
    skip(cursor);
    const first = cursor.text[cursor.at];
    if (first === "}") cursor.at += 1;
    const name = first === '"' || first === "'" ? readString(cursor) : match(cursor, WORD);
    if (name === null) return members;
    skip(cursor);
    if (match(cursor, BETWEEN) === null) return members;
    const before = cursor.at;
    if (depth > MAX_DEPTH) return members;
    members[name] = readValue(cursor, depth);
    if (cursor.at === before) return members;
  }
}

function readList(cursor: Cursor, depth: number): unknown {
  const items: unknown[] = [];
  cursor.at += 1;
  for (;;) {
    skip(cursor);
    const first = cursor.text[cursor.at];
    if (first === "]" || first === ")") {
      cursor.at += 1;
      return items;
    }
    const before = cursor.at;
    if (depth > MAX_DEPTH) return items;
    items.push(readValue(cursor, depth));
    if (cursor.at === before) return items;
  }
}

const ESCAPES: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/** Reads a quoted string, or the rest of the text if it is cut off. */
function readString(cursor: Cursor): string {
  const { text } = cursor;
  const quote = text[cursor.at];
  let read = "";
  let from = cursor.at + 1;
  let at = from;
  for (; at < text.length && text[at] !== quote; at += 1) {
    if (text[at] !== "\\") continue;
    read += text.slice(from, at);
    const escaped = text[at + 1] ?? "";
    const hex = escaped === "u" ? text.slice(at + 2, at + 6) : "";
    if (/^[\da-f]{4}$/i.test(hex)) {
      read += String.fromCharCode(Number.parseInt(hex, 16));
      at += 5;
    } else {
      read += ESCAPES[escaped] ?? escaped;
      at += 1;
    }
    from = at + 1;
  }
  read += text.slice(from, at);
  cursor.at = Math.min(at + 1, text.length);
  return read;
}

function skip(cursor: Cursor): void {
  match(cursor, SPACE);
}

function match(cursor: Cursor, pattern: RegExp): string | null {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text);
  if (found === null) return null;
  cursor.at = pattern.lastIndex;
  return found[0];
}
