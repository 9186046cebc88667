import type * as t from "@babel/types";
import type { Scope } from "../program/scope.ts";
import { pay, payForText } from "./budget.ts";

/**
 * What an expression may hold, as far as the file itself tells. `host` is something of the browser or of a package,
 * by its path from the global object (`""` is the global object itself, `location.assign`, `npm:axios.get`).
 */
export type Value =
  | { kind: "unknown"; taint: number }
  | { kind: "constant"; value: Constant; taint: number }
  /** Text of which parts are unknown: HOLE and OWN stand in their places. */
  | { kind: "text"; value: string; taint: number }
  | { kind: "host"; path: string }
  | { kind: "function"; node: t.Function; scope: Scope; env: Frame | null }
  | { kind: "bound"; target: Value; args: Value[]; self?: Value | undefined }
  /** A method of a value, kept together with that value. */
  | { kind: "method"; of: Value; name: string }
  | { kind: "object"; node: t.ObjectExpression; scope: Scope; env: Frame | null }
  /** `text` is what it reads as, where that is not what any object does. */
  | { kind: "record"; entries: Map<string, Value>; text?: Value }
  /** A list that is made anew in each call is told apart by itself. */
  | { kind: "list"; items: Value[]; node: t.Node | null; anew?: boolean }
  | { kind: "class"; node: t.Class; scope: Scope; env: Frame | null }
  | { kind: "instance"; of: t.Class | t.Function; scope: Scope }
  | { kind: "regex"; source: string; flags: string }
  /** A DOM element that the file makes. */
  | { kind: "element"; tag: string }
  /** `this` of a function that is no method: the global object when the function is called plainly. */
  | { kind: "receiver"; of: t.Function }
  | { kind: "either"; options: Value[] };

export type Constant = string | number | boolean | bigint | null | undefined;

/** One call being followed: what its arguments hold. */
export interface Frame {
  fn: t.Function;
  scope: Scope;
  args: Value[];
  parent: Frame | null;
  depth: number;
  known: Map<object, Value>;
  /** Results of calls followed from here, by function and arguments. */
  calls: Map<t.Function, Map<string, Value>>;
}

/** Stands in a text for a part that is not known. */
export const HOLE = "\uE000";
/** Stands in a text for a part that comes from the page's own address. */
export const OWN = "\uE001";

/** Computed from character codes, base64 and the like, or too tangled to follow: somebody hides something. */
export const HIDDEN = 1;
/** Came over the network. */
export const REMOTE = 2;
/** Read from cookies or storage. */
export const PRIVATE = 4;
/** Read from the address of the page, its name or a message: an attacker's words. */
export const OUTSIDE = 8;
/** Picked from all that the global object holds, or the name of it. */
export const PICKED = 16;
/** Not worked out, as the budget was spent. */
export const SPENT = 32;
/** Some member of a known value that is no function: what is picked from it again may be one. */
export const PART = 64;
/** Some member of a function, by a name that is not known: `constructor` is one. */
export const KEYED = 128;
/** What such a member gave back: called, it may be a program that was made of text. */
export const MADE = 256;

/** Told only by decoding or by character codes, whether that was worked out or not. */
export const DECODED = 512;
/**
 * Put together letter by letter, in steps that were not worked out. Weaker than HIDDEN: pictures and markup are made so
 * for good reasons, addresses of requests and names of functions are not.
 */
export const SPELLED = 1024;
/** Told by decoding, and not worked out: a name or an address of this kind is hidden. */
export const CODED = HIDDEN | DECODED | SPELLED;
/** Taken from an object by reflection, without its name being told. */
export const REFLECTED = 2048;
/** What tells about members, which no text carries on. */
export const MEMBERS = PART | KEYED | MADE;

export const UNKNOWN: Value = { kind: "unknown", taint: 0 };
const TAINTED = Array.from({ length: 4096 }, (_, taint): Value => ({ kind: "unknown", taint }));

/** Beyond this many alternatives only those are kept that a rule might mind, and of these no more than MINDED. */
const OPTIONS = 16;
const MINDED = 64;
const MINDED_PATH =
  /^$|^(?:eval|Function|fetch|location|document|navigator|setTimeout|setInterval|XMLHttpRequest|WebSocket|EventSource|Worker|SharedWorker|Reflect|npm:)/;
const HARMLESS = /^(?!\s*[\\/]{2})[^:<]*$/;
/** Folded text longer than this is cut. */
export const TEXT_LIMIT = 65_536;

export function unknown(taint = 0): Value {
  return TAINTED[taint & 4095] ?? UNKNOWN;
}

/** What stands for a value past the budget. */
export const TANGLED = unknown(HIDDEN | SPENT);

/** What a number takes, in characters. */
const NUMBER = 24;

/** A constant that is worked out. */
export function constant(value: Constant, taint = 0): Value {
  if (typeof value !== "string") {
    pay(NUMBER);
    return { kind: "constant", value, taint };
  }
  if (value.length > TEXT_LIMIT) return text(value, taint);
  return payForText(value.length) ? { kind: "constant", value, taint } : TANGLED;
}

/** A constant that the file writes out, which costs nothing until it is read. */
export function literal(value: Constant): Value {
  if (typeof value === "string" && value.length > TEXT_LIMIT)
    return { kind: "text", value: value.slice(0, TEXT_LIMIT) + HOLE, taint: 0 };
  return { kind: "constant", value, taint: 0 };
}

export function text(value: string, taint = 0): Value {
  if (!payForText(Math.min(value.length, TEXT_LIMIT))) return TANGLED;
  const kept = value.length > TEXT_LIMIT ? value.slice(0, TEXT_LIMIT) + HOLE : value;
  return { kind: "text", value: kept, taint };
}

export function host(path: string): Value {
  return { kind: "host", path };
}

/** One value of several. Equal constants count once. */
export function either(values: readonly Value[]): Value {
  const [first] = values;
  if (values.length === 1) return first ?? UNKNOWN;
  if (values.length > FEW && !pay(values.length * ALTERNATIVE)) return TANGLED;
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

/** Alternatives up to this many are compared one by one, which is quicker than a set of them. */
const FEW = 8;
/** What it takes to look whether an alternative is there, in characters. */
const ALTERNATIVE = 16;

/** Adds an alternative unless it is there; gives the set of those that there are, once they are many. */
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
  if (found.length < OPTIONS || (found.length < MINDED && !isHarmless(option))) found.push(option);
  return known;
}

/** Whether two values have the same identity. */
function isSame(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  if (a.kind === "constant" && b.kind === "constant")
    return a.taint === 0 && b.taint === 0 && paidEqual(a.value, b.value);
  if (a.kind === "host" && b.kind === "host") return a.path === b.path;
  const same = identity(a);
  return same !== a && same === identity(b);
}

function paidEqual(a: Constant, b: Constant): boolean {
  if (typeof a === "string" && typeof b === "string" && a.length === b.length) pay(a.length);
  return Object.is(a, b);
}

/** Whether an alternative may be left out when there are very many: no rule minds it. */
function isHarmless(value: Value): boolean {
  if (value.kind === "constant" || value.kind === "text") {
    return typeof value.value !== "string" || (payForText(value.value.length) && HARMLESS.test(value.value));
  }
  return value.kind !== "host" || !MINDED_PATH.test(value.path);
}

/** Texts longer than this are not compared with others. */
const LONG = 4096;

/** What is the same for equal values: a text, or the node that a value was made by. */
export function identity(value: Value): unknown {
  switch (value.kind) {
    case "constant":
      if ((value.taint & ~DECODED) !== 0) return value;
      if (typeof value.value !== "string") return value.value;
      // A long one is told apart only by itself: to compare it with others would cost more than it tells.
      return value.value.length > LONG || !payForText(value.value.length)
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

/** The alternatives of a value; a value that is none of several is its own only one. */
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
