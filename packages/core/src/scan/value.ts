import type * as t from "@babel/types";
import type { Scope } from "./scope.ts";

/** Characters for private use that stand for the unknown parts of a string. */
export const HOLE = "\ue000";
/** A part that the file decodes or computes from numbers, or that was beyond the budget. */
export const HIDDEN = "\ue001";
/** The origin of the page itself. */
export const OWN_ORIGIN = "\ue002";
/** A part of the page's address, or of a message: whoever writes a link chooses it. */
export const UNTRUSTED = "\ue003";
const HOLES = /[\ue000-\ue003]/;

export type Constant = string | number | bigint | boolean | null | undefined | RegExp;

/** What the scan knows about the value of an expression. */
export type Value =
  | { kind: "constant"; value: Constant }
  /** An object of the browser or a package, by its path from the global object (whose path is ""). */
  | { kind: "host"; path: string }
  | List
  | Record_
  | Closure
  /** A method of another value, read but not called; `=key` is the setter of a property. */
  | { kind: "method"; on: Value; key: string }
  | { kind: "bound"; to: Value; self: Value; args: Value[] }
  | { kind: "element"; tag: string | null; props: Map<string, Value> }
  | { kind: "accessor"; get: Value | null; set: Value | null }
  | Unknown
  | { kind: "any"; options: Value[] };

export interface List {
  kind: "list";
  items: Value[];
  context: number;
  /** Bytes, whose string is the text that they encode. */
  bytes?: true;
}

/** An object of the file; `of` is the class or object that it inherits from. */
export interface Record_ {
  kind: "object";
  props: Map<string, Value>;
  of: Value | null;
  context: number;
}

/** A function or class of the file with the scope it was made in. */
export interface Closure {
  kind: "function";
  node: t.Function | t.Class;
  scope: Scope;
  /** The object or prototype that a method belongs to; for a class what it extends. */
  home: Value | null;
  props: Map<string, Value>;
  prototype: Record_ | null;
}

export interface Unknown {
  kind: "unknown";
  /** Computed beyond the budget: a finding where it is called or requested. */
  spent?: true;
}

export const UNKNOWN: Unknown = { kind: "unknown" };
export const SPENT: Unknown = { kind: "unknown", spent: true };
export const UNDEFINED: Value = { kind: "constant", value: undefined };

export const constant = (value: Constant): Value => ({ kind: "constant", value });
export const host = (path: string): Value => ({ kind: "host", path });

/** More alternatives than these are not kept. */
const OPTIONS = 12;

export function options(value: Value): readonly Value[] {
  return value.kind === "any" ? value.options : [value];
}

/** One of several values: flat, each once. */
export function join(values: readonly Value[]): Value {
  if (values.length === 1) return values[0] ?? UNKNOWN;
  const found: Value[] = [];
  for (const value of values)
    for (const option of options(value))
      if (found.length < OPTIONS && !found.some((known) => isSame(known, option))) found.push(option);
  const [first = UNKNOWN] = found;
  return found.length < 2 ? first : { kind: "any", options: found };
}

function isSame(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a.kind === "constant") return b.kind === "constant" && a.value === b.value;
  if (a.kind === "host") return b.kind === "host" && a.path === b.path;
  return a.kind === "unknown" && b.kind === "unknown" && a.spent === b.spent;
}

/** The value of each alternative. */
export function each(value: Value, make: (option: Value) => Value): Value {
  return value.kind === "any" ? join(value.options.map(make)) : make(value);
}

export function hasHole(text: string): boolean {
  return HOLES.test(text);
}

/** The string that a value is when it is wholly known and is a string, number or the like. */
export function knownText(value: Value): string | null {
  if (value.kind !== "constant" || value.value instanceof RegExp) return null;
  const text = String(value.value);
  return hasHole(text) ? null : text;
}

/** Whether a value counts as true in a condition; null when that is not known. */
export function truth(value: Value): boolean | null {
  switch (value.kind) {
    case "constant":
      return typeof value.value === "string" && hasHole(value.value) ? null : Boolean(value.value);
    case "list":
    case "object":
    case "function":
    case "bound":
      return true;
    case "any": {
      const [first, ...rest] = value.options.map(truth);
      return rest.every((one) => one === first) ? (first ?? null) : null;
    }
    default:
      return null;
  }
}
