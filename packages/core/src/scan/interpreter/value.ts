import type * as t from "@babel/types";
import type { Scope } from "../program/scope.ts";
import { charge, chargeText } from "./budget.ts";

/**
 * The possible values of an expression, by the file alone. `host` is an object or function of the browser or of a
 * package, by its path from the global object (`""` is the global object itself, `location.assign`, `npm:axios.get`).
 */
export type Value =
  | { kind: "unknown"; taint: number }
  | { kind: "constant"; value: Constant; taint: number }
  /** A string with unknown parts, marked by HOLE and OWN_ORIGIN. */
  | { kind: "text"; value: string; taint: number }
  | { kind: "host"; path: string }
  | { kind: "function"; node: t.Function; scope: Scope; env: Frame | null }
  | { kind: "bound"; target: Value; args: Value[]; self?: Value | undefined }
  /** A method with its receiver. */
  | { kind: "method"; of: Value; name: string }
  | { kind: "object"; node: t.ObjectExpression; scope: Scope; env: Frame | null }
  /** `text` is its string conversion, if that is not `[object Object]`. */
  | { kind: "record"; entries: Map<string, Value>; text?: Value }
  /** A list that each call creates anew has its own identity. */
  | { kind: "list"; items: Value[]; node: t.Node | null; anew?: boolean }
  | { kind: "class"; node: t.Class; scope: Scope; env: Frame | null }
  | { kind: "instance"; of: t.Class | t.Function; scope: Scope }
  | { kind: "regex"; source: string; flags: string }
  /** A DOM element that the file creates. */
  | { kind: "element"; tag: string }
  /** `this` of a function that is not a method: the global object in a plain call. */
  | { kind: "receiver"; of: t.Function }
  | { kind: "either"; options: Value[] };

export type Constant = string | number | boolean | bigint | null | undefined;

/** A call that is being followed, with its arguments. */
export interface Frame {
  fn: t.Function;
  scope: Scope;
  args: Value[];
  parent: Frame | null;
  depth: number;
  known: Map<object, Value>;
  /** Results of calls followed from this one, by function and arguments. */
  calls: Map<t.Function, Map<string, Value>>;
}

/** Marks an unknown part of a string. */
export const HOLE = "\uE000";
/** Marks a part of a string that comes from the page's own URL. */
export const OWN_ORIGIN = "\uE001";

/** Computed from character codes, base64 or similar, or too complex to follow: somebody hides something. */
export const HIDDEN = 1;
/** Received over the network. */
export const REMOTE = 2;
/** Read from cookies or storage. */
export const PRIVATE = 4;
/** Read from the URL of the page, its name or a message: controlled by an attacker. */
export const UNTRUSTED = 8;
/** An unknown member of the global object, or the name of such a member. */
export const COMPUTED_GLOBAL = 16;
/** Not evaluated, as the budget was spent. */
export const OVER_BUDGET = 32;
/** An unknown member of a known value that is not a function; an unknown member of that is FUNCTION_MEMBER. */
export const UNKNOWN_MEMBER = 64;
/** An unknown member of a function: it may be `constructor`. */
export const FUNCTION_MEMBER = 128;
/** The result of calling such a member: it may be a function built from a string. */
export const FUNCTION_MEMBER_RESULT = 256;

/** Known only by decoding or by character codes, whether evaluated or not. */
export const DECODED = 512;
/**
 * Built letter by letter, in steps that were not evaluated. Weaker than HIDDEN: pictures and markup are built this way
 * for good reasons, URLs of requests and names of functions are not.
 */
export const CHARWISE = 1024;
/** Decoded or built letter by letter: an unknown name or URL with such a taint is hidden. */
export const OBFUSCATED = HIDDEN | DECODED | CHARWISE;
/** Read from an object by reflection, under an unknown name. */
export const REFLECTED = 2048;
/** Taints about members, which strings do not keep. */
export const MEMBER_TAINTS = UNKNOWN_MEMBER | FUNCTION_MEMBER | FUNCTION_MEMBER_RESULT;

export const UNKNOWN: Value = { kind: "unknown", taint: 0 };
const UNKNOWN_BY_TAINT = Array.from({ length: 4096 }, (_, taint): Value => ({ kind: "unknown", taint }));

/** Beyond this many alternatives, only those that may matter to a rule are kept, and no more than MAX_RELEVANT in all. */
const MAX_OPTIONS = 16;
const MAX_RELEVANT = 64;
const RELEVANT_PATH =
  /^$|^(?:eval|Function|fetch|location|document|navigator|setTimeout|setInterval|XMLHttpRequest|WebSocket|EventSource|Worker|SharedWorker|Reflect|npm:)/;
const IRRELEVANT_TEXT = /^(?!\s*[\\/]{2})[^:<]*$/;
/** Folded strings longer than this are cut. */
export const TEXT_LIMIT = 65_536;

export function unknown(taint = 0): Value {
  return UNKNOWN_BY_TAINT[taint & 4095] ?? UNKNOWN;
}

/** The value of everything past the budget. */
export const BEYOND_BUDGET = unknown(HIDDEN | OVER_BUDGET);

/** The cost of a number, in characters. */
const NUMBER = 24;

/** A computed constant. */
export function constant(value: Constant, taint = 0): Value {
  if (typeof value !== "string") {
    charge(NUMBER);
    return { kind: "constant", value, taint };
  }
  if (value.length > TEXT_LIMIT) return text(value, taint);
  return chargeText(value.length) ? { kind: "constant", value, taint } : BEYOND_BUDGET;
}

/** A literal of the file, which costs nothing until it is read. */
export function literal(value: Constant): Value {
  if (typeof value === "string" && value.length > TEXT_LIMIT)
    return { kind: "text", value: value.slice(0, TEXT_LIMIT) + HOLE, taint: 0 };
  return { kind: "constant", value, taint: 0 };
}

export function text(value: string, taint = 0): Value {
  if (!chargeText(Math.min(value.length, TEXT_LIMIT))) return BEYOND_BUDGET;
  const kept = value.length > TEXT_LIMIT ? value.slice(0, TEXT_LIMIT) + HOLE : value;
  return { kind: "text", value: kept, taint };
}

export function host(path: string): Value {
  return { kind: "host", path };
}

/** One value of several alternatives. Equal constants count once. */
export function either(values: readonly Value[]): Value {
  const [first] = values;
  if (values.length === 1) return first ?? UNKNOWN;
  if (values.length > FEW && !charge(values.length * ALTERNATIVE)) return BEYOND_BUDGET;
  const found: Value[] = [];
  let seen: Set<unknown> | null = null;
  for (const value of values) {
    if (value.kind !== "either") {
      if (value !== found[0]) seen = join(found, seen, value);
    } else for (const option of value.options) seen = join(found, seen, option);
  }
  if (found.length === 0) return UNKNOWN;
  return found.length === 1 ? (found[0] ?? UNKNOWN) : { kind: "either", options: found };
}

/** Up to this many alternatives are compared one by one, which is faster than a set. */
const FEW = 8;
/** The cost of checking whether an alternative is known, in characters. */
const ALTERNATIVE = 16;

/** Adds an alternative unless it is known; returns the set of known ones, once they are many. */
function join(found: Value[], seen: Set<unknown> | null, option: Value): Set<unknown> | null {
  let known = seen;
  if (known === null) {
    for (const one of found) if (isSame(one, option)) return null;
    if (found.length === FEW) known = new Set(found.map(identity));
  }
  if (known !== null) {
    const key = identity(option);
    if (known.has(key)) return known;
    known.add(key);
  }
  if (found.length < MAX_OPTIONS || (found.length < MAX_RELEVANT && !isIrrelevant(option)))
    found.push(option);
  return known;
}

/** Whether two values have the same identity. */
function isSame(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  if (a.kind === "constant" && b.kind === "constant")
    return a.taint === 0 && b.taint === 0 && equalConstants(a.value, b.value);
  if (a.kind === "host" && b.kind === "host") return a.path === b.path;
  const same = identity(a);
  return same !== a && same === identity(b);
}

function equalConstants(a: Constant, b: Constant): boolean {
  if (typeof a === "string" && typeof b === "string" && a.length === b.length) charge(a.length);
  return Object.is(a, b);
}

/** Whether an alternative may be left out when there are very many: it matters to no rule. */
function isIrrelevant(value: Value): boolean {
  if (value.kind === "constant" || value.kind === "text") {
    return (
      typeof value.value !== "string" || (chargeText(value.value.length) && IRRELEVANT_TEXT.test(value.value))
    );
  }
  return value.kind !== "host" || !RELEVANT_PATH.test(value.path);
}

/** Strings longer than this are not compared with others. */
const LONG = 4096;

/** The identity that equal values share: a constant, or the node that created the value. */
export function identity(value: Value): unknown {
  switch (value.kind) {
    case "constant":
      if ((value.taint & ~DECODED) !== 0) return value;
      if (typeof value.value !== "string") return value.value;
      // A long string is its own identity: comparing it with others would cost too much.
      return value.value.length > LONG || !chargeText(value.value.length)
        ? value
        : `${value.taint === 0 ? "=" : "~"}${value.value}`;
    case "host":
      return `@${value.path}`;
    case "function":
    case "object":
    case "class":
      return value.env === null ? value.node : value;
    case "instance":
    case "receiver":
      return value.of;
    case "list":
      return value.anew === true ? value : (value.node ?? value);
    case "method":
      return value.of.kind === "host" ? `@${value.of.path}#${value.name}` : value;
    default:
      return value;
  }
}

/** The alternatives of a value; any other value is its own only alternative. */
export function options(value: Value): readonly Value[] {
  return value.kind === "either" ? value.options : [value];
}

/** Applies a step to each alternative. */
export function each(value: Value, step: (option: Value) => Value): Value {
  if (value.kind !== "either") return step(value);
  return either(value.options.map(step));
}

export function isGlobalObject(value: Value): boolean {
  return value.kind === "host" && value.path === "";
}

export function isText(value: Value): boolean {
  return value.kind === "text" || (value.kind === "constant" && typeof value.value === "string");
}
