import type * as t from "@babel/types";
import type { Scope } from "./scope.ts";

/** Characters for private use that stand for the unknown parts of a string. */
export const HOLE = "\ue000";
/** A part that the file decodes or computes from numbers, or that was beyond the budget. */
export const HIDDEN = "\ue001";
/** The origin of the page itself. */
export const OWN_ORIGIN = "\ue002";
/** A part of the page's address: whoever writes a link chooses it. */
export const UNTRUSTED = "\ue003";
const HOLES = /[\ue000-\ue003]/;

export type Constant = string | number | bigint | boolean | null | undefined | RegExp;

/** What the scan knows about the value of an expression. */
export type Value =
  | { kind: "constant"; value: Constant }
  /** An object of the browser or a package, by its path from the global object (whose path is ""). */
  | { kind: "host"; path: string }
  | List
  | Instance
  | Closure
  /** A method of another value, read but not called; `=key` and `.key` are the setter and getter of a property. */
  | { kind: "method"; on: Value; key: string }
  | { kind: "bound"; to: Value; self: Value; args: Value[] }
  | { kind: "element"; tag: string; props: Map<string, Value> }
  | { kind: "getter"; get: Value }
  /** `spent`: computed beyond the budget. */
  | { kind: "unknown"; spent: boolean }
  | { kind: "any"; options: Value[] };

export type List = { kind: "list"; items: Value[]; context: number };

/** An object of the file; `of` is what it inherits from. */
export type Instance = { kind: "object"; props: Map<string, Value>; of: Value | null; context: number };

/** A function or class of the file with the scope it was made in. */
export interface Closure {
  kind: "function";
  node: t.Function | t.Class;
  scope: Scope;
  /** The object or prototype that a method belongs to; for a class what it extends. */
  home: Value | null;
  props: Map<string, Value>;
  prototype: Instance | null;
}

export const UNKNOWN: Value = { kind: "unknown", spent: false };
export const SPENT: Value = { kind: "unknown", spent: true };
export const UNDEFINED: Value = { kind: "constant", value: undefined };

export const constant = (value: Constant): Value => ({ kind: "constant", value });
export const host = (path: string): Value => ({ kind: "host", path });
export const isMissing = (value: Value) => value.kind === "constant" && value.value === undefined;
export const hasHole = (text: string) => HOLES.test(text);

/** More alternatives than these are not kept. */
const OPTIONS = 12;

export function options(value: Value | undefined): readonly Value[] {
  return value === undefined ? [] : value.kind === "any" ? value.options : [value];
}

/** One of several values: flat, each once. */
export function join(values: readonly Value[]): Value {
  if (values.length === 1) return values[0] ?? UNKNOWN;
  const found: Value[] = [];
  for (const option of values.flatMap(options))
    if (found.length < OPTIONS && !found.some((known) => isSame(known, option))) found.push(option);
  return found.length < 2 ? (found[0] ?? UNKNOWN) : { kind: "any", options: found };
}

function isSame(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a.kind === "constant") return b.kind === "constant" && a.value === b.value;
  return a.kind === "host" && b.kind === "host" && a.path === b.path;
}

export const not = (known: boolean | null) => (known === null ? null : !known);

/** The value for each alternative. */
export function each(value: Value, make: (option: Value) => Value): Value {
  return value.kind === "any" ? join(value.options.map(make)) : make(value);
}

/** Whether a value counts as true in a condition; null when that is not known. */
export function truth(value: Value): boolean | null {
  if (value.kind === "constant")
    return typeof value.value === "string" && hasHole(value.value) ? null : Boolean(value.value);
  return value.kind === "list" || value.kind === "object" || value.kind === "function" ? true : null;
}

/** What is no plain value of the language, or not wholly known. */
export const NOT_KNOWN = Symbol("not known");
