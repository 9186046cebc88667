import { alternatives } from "./entry.ts";

/** What was read from the body of an error: only members that providers write, never parts of the request that a body repeats. */
export interface Envelope {
  codes: Set<string>;
  /** The identifiers of `codes` that are not numbers, in their original spelling. */
  names: Set<string>;
  messages: string[];
  /** The HTTP statuses that the body states, outermost first. */
  statuses: number[];
}

/** Names of members that contain an identifier. They are compared in lower case, without underscores and hyphens. */
const CODES = new Set(
  alternatives(`
  type | code | status | reason | name | key | slug | error | quotaid | errorno | errno | id | tag | errors
`),
);
/** Other members contain an identifier if their name ends like this: "error_code", "errorType", "returnReasonCode". */
const CODE_NAME = /(?:code|errortype|^_+type)$/;
/** Names of members that contain a sentence. */
const MESSAGES = new Set(
  alternatives(`
  detail | details | error | errors | title | reason | raw | status | msgcn | hint | info | fault | responsebody | body | text |
  cause | value | explanation | note | information | warning | result | detalle | mensaje | mensagem | errortext | statustext
`),
);
/** Other members contain a sentence if their name ends like this: "errorMessage", "status_msg", "html-message", "error_description". */
const MESSAGE_NAME =
  /(?:message|msg|messages|description|desc|reason|errordetails?|errorinfo|faultstring|messagedetail)$/;
/** Names of members whose object or list is read too. */
const CONTAINERS = new Set(
  alternatives(`
  error | errors | detail | details | metadata | raw | body | response | baseresp | header | fault | cause | errorresponse |
  innererror | status | violations | data | result | message | type | responsebody | extra | err | causes | lasterror | output |
  payload | ext | errordetails | exception | responsestatus | meta | base | failure | items | errores | issues | problem | errorinfo
`),
);
const STATUSES = new Set(
  alternatives(`
  status | code | statuscode | httpstatus | httpstatuscode | httpcode | errorcode
`),
);

/** A value that is an error's name, whatever its member is called: {"request": "ERROR_ZERO_BALANCE"}. */
const NAMED_ERROR = /^ERR(?:OR)?_[A-Z_]{4,60}$/;

/** A message that is an identifier, not a sentence: "INSUFFICIENT_CREDITS". */
const CAPITALS = /^[A-Z][A-Z_]{4,60}$/;

const MAX_DEPTH = 8;
const MAX_MEMBERS = 48;
/** How many levels of bodies inside messages are read. No answer was ever seen with more. */
const MAX_NESTED = 3;
const MAX_MESSAGES = 24;
const MAX_MESSAGE = 4000;
const IDENTIFIER = /^[\w.:/@# …-]+$/;

/** Reads all error bodies inside a text into one envelope; `prose` is the text around them. Returns null when there is no such body. */
export function envelopeIn(text: string): { envelope: Envelope; prose: string } | null {
  const envelope: Envelope = { codes: new Set(), names: new Set(), messages: [], statuses: [] };
  const { values, prose } = literalsIn(text);
  for (const value of values) collect(value, "", 0, 0, envelope);
  return envelope.codes.size + envelope.messages.length === 0 ? null : { envelope, prose };
}

function collect(value: unknown, container: string, depth: number, nested: number, into: Envelope): void {
  if (depth > MAX_DEPTH || typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value.slice(0, MAX_MEMBERS)) {
      if (typeof item === "string") addMessage(item, container, depth, nested, into);
      else collect(item, container, depth + 1, nested, into);
    }
    return;
  }
  let members = 0;
  for (const member in value) {
    members += 1;
    if (members > MAX_MEMBERS) return;
    const { spelled, isContainer, isStatus: mayBeStatus, isCode, isMessage } = memberOf(member);
    const content = (value as Record<string, unknown>)[member];
    if (typeof content === "object") {
      if (isContainer) collect(content, spelled, depth + 1, nested, into);
      continue;
    }
    if (mayBeStatus && isStatus(content)) into.statuses.push(Number(content));
    if (isCode || (typeof content === "string" && NAMED_ERROR.test(content)))
      addCode(content, container, spelled, into);
    if (typeof content === "string" && isMessage) addMessage(content, spelled, depth, nested, into);
  }
}

/** The kinds of content that a member may have, judged by its name. */
interface Member {
  spelled: string;
  isContainer: boolean;
  isStatus: boolean;
  isCode: boolean;
  isMessage: boolean;
}

/** A cache for memberOf with at most MAX_SEEN names, because bodies use few different names. */
const SEEN: Map<string, Member> = new Map();
const MAX_SEEN = 500;

function memberOf(member: string): Member {
  const seen = SEEN.get(member);
  if (seen !== undefined) return seen;
  const spelled = member.slice(0, 64).toLowerCase();
  const name = spelled.replace(/(?!^)[_-]/g, "");
  const is: Member = {
    spelled,
    isContainer: CONTAINERS.has(name),
    isStatus: STATUSES.has(name),
    isCode: CODES.has(name) || CODE_NAME.test(name),
    isMessage: MESSAGES.has(name) || MESSAGE_NAME.test(name),
  };
  if (SEEN.size < MAX_SEEN && member.length <= 64) SEEN.set(member, is);
  return is;
}

function addCode(content: unknown, container: string, name: string, into: Envelope): void {
  if (typeof content === "number" || (typeof content === "string" && /^-?\d{1,9}$/.test(content.trim()))) {
    into.codes.add(`${container === "" ? "" : `${container}.`}${name}:${String(content).trim()}`);
    return;
  }
  if (typeof content !== "string" || content.length > 80 || !IDENTIFIER.test(content)) return;
  const code = content.trim().toLowerCase();
  into.codes.add(code);
  into.names.add(content.trim());
}

function addMessage(content: string, name: string, depth: number, nested: number, into: Envelope): void {
  if (into.messages.length >= MAX_MESSAGES || content === "") return;
  if (nested < MAX_NESTED && holdsBody(content)) {
    const { values, prose } = literalsIn(content);
    if (values.length > 0) {
      for (const value of values) collect(value, name, depth + 1, nested + 1, into);
      if (prose.trim() !== "") into.messages.push(prose.slice(0, MAX_MESSAGE));
      const wrapped = WRAPPED_STATUS.exec(prose.slice(0, 600).trimEnd())?.[1];
      if (wrapped !== undefined) into.statuses.push(Number(wrapped));
      return;
    }
  }
  into.messages.push(content.slice(0, MAX_MESSAGE));
  if (CAPITALS.test(content)) addCode(content, "", name, into);
  // FastAPI services write the status of an error that they caught into the message: {"detail": "400: unsupported parameter"}.
  const stated = /^([45]\d\d): /.exec(content)?.[1];
  if (stated !== undefined) into.statuses.push(Number(stated));
}

/** The status that a message states in front of a body: "400 {…}", "APIError: Error code: 429 - {…}". */
const WRAPPED_STATUS =
  /(?:^\W{0,3}|\b(?:error code|status code|status|http)[: ]{1,2})([45]\d\d)[\s:,.-]{0,4}(?:body[\s:]{0,2})?$/i;

/** Returns whether a message contains a body with no quote before it. A body after a quote may be a part of the caller's request. */
function holdsBody(message: string): boolean {
  const start = message.indexOf("{");
  return start >= 0 && !/["'`]/.test(message.slice(0, start).replace(/\bb['"]$|\[$/, ""));
}

function isStatus(content: unknown): boolean {
  const number = typeof content === "string" && /^\d{3}$/.test(content) ? Number(content) : content;
  return typeof number === "number" && Number.isInteger(number) && number >= 400 && number <= 599;
}

/**
 * Reads the JSON values and Python literals inside a text (`Error code: 429 - {'error': {'code': None}}`). Of a value
 * that is cut off or malformed, it returns the part before the fault. Never throws; linear in the length of the text.
 */
function literalsIn(given: string): { values: unknown[]; prose: string } {
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

/** A body as a JSON string: `"{\"error\":…}"`, or in a log `body="{\"error\":…}"`. Elsewhere, such a string may be part of a request. */
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
/** Members that are nested deeper than this do not describe the error. */
const MAX_LITERAL_DEPTH = 24;
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

/** Returns whether a value is in quotes, and so part of a request ("Invalid value: '{…}'"). A Python bytes literal (b'{…}') is a body. */
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
  // The word is the prefix of a Python string: b'…', u'…'.
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
    if (depth > MAX_LITERAL_DEPTH) return members;
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
    if (depth > MAX_LITERAL_DEPTH) return items;
    items.push(readValue(cursor, depth));
    if (cursor.at === before) return items;
  }
}

const ESCAPES: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/** Reads a quoted string; if its closing quote is missing, the rest of the text. */
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
