import type * as t from "@babel/types";

export type Constant = string | number | bigint | boolean | null | undefined | RegExp;

/** The scan's knowledge about the value of an expression. */
export type Value =
  /** A string may contain holes for unknown parts. */
  | { kind: "constant"; value: Constant }
  /** An object of the browser or a package, by its path from the global object (whose path is ""). */
  | { kind: "host"; path: string }
  | List
  | Instance
  | Closure
  /** A method of another value, read but not called. */
  | { kind: "method"; on: Value; key: string }
  | { kind: "bound"; to: Value; self: Value; args: Value[] }
  | { kind: "element"; tag: string; props: Map<string, Value> }
  /** `spent`: unknown because its computation exceeded the budget or another limit. */
  | { kind: "unknown"; spent: boolean }
  | { kind: "any"; options: Value[] };

export type List = { kind: "list"; items: Value[] };

/** An object that the file makes; `of` is its prototype. */
export type Instance = { kind: "object"; props: Map<string, Value>; of: Value | null };

/** A function or class of the file with the scope it was made in. */
export interface Closure {
  kind: "function";
  node: t.Function | t.Class;
  scope: Names;
  /** The object or prototype that a method belongs to; for a class, the class that it extends. */
  home: Value | null;
  props: Map<string, Value>;
}

/**
 * A variable of the file. `context` is the number of the run of `maybe` (world.ts) that declared the variable. A write in the same run
 * replaces the value; any other write adds an alternative.
 */
interface Binding {
  value: Value;
  context: number;
}

/** One call of a function, with the data that its blocks share; `vars` is the scope of its `var`s. */
export interface Frame {
  self: Value;
  returned: Value[];
  vars: Names | null;
}

/** The names that are visible at one place of the file. */
export interface Names {
  readonly parent: Names | null;
  readonly frame: Frame;
  readonly names: Map<string, Binding>;
  declare(name: string, value: Value, context: number): void;
  find(name: string): Binding | undefined;
}

export const UNKNOWN: Value = { kind: "unknown", spent: false };
export const SPENT: Value = { kind: "unknown", spent: true };
export const UNDEFINED: Value = { kind: "constant", value: undefined };

export const constant = (value: Constant): Value => ({ kind: "constant", value });
export const host = (path: string): Value => ({ kind: "host", path });

/** What toPlain returns for a value that is neither a constant nor a list of constants, or that is not wholly known. */
export const NOT_KNOWN = Symbol("not known");

/** Private-use characters stand for unknown parts of a string. HOLE stands for any unknown part. */
export const HOLE = "\ue000";
/** HIDDEN stands for a part that the file decodes or computes from numbers, or that is beyond the budget. */
export const HIDDEN = "\ue001";
/** OWN_ORIGIN stands for the origin of the page itself. */
export const OWN_ORIGIN = "\ue002";

export const hasHole = (text: string) => /[\ue000-\ue002]/.test(text);

/** The most alternatives of one value. Further alternatives are dropped. */
const MAX_ALTERNATIVES = 12;

export function options(value: Value | undefined): readonly Value[] {
  return value === undefined ? [] : value.kind === "any" ? value.options : [value];
}

/** Returns one value for several possible ones: a flat list of alternatives, each once. */
export function join(values: readonly Value[]): Value {
  if (values.length < 2) return values[0] ?? UNKNOWN;
  const found: Value[] = [];
  for (const option of values.flatMap(options))
    if (found.length < MAX_ALTERNATIVES && !found.some((known) => isSame(known, option))) found.push(option);
  return found.length < 2 ? (found[0] ?? UNKNOWN) : { kind: "any", options: found };
}

function isSame(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a.kind === "constant") return b.kind === "constant" && a.value === b.value;
  return a.kind === "host" && b.kind === "host" && a.path === b.path;
}

/** Applies `make` to each alternative, and joins the results. */
export function each(value: Value, make: (option: Value) => Value): Value {
  return value.kind === "any" ? join(value.options.map(make)) : make(value);
}

/** Returns whether a value is truthy, as a condition needs it; null if this is unknown. */
export function truth(value: Value): boolean | null {
  if (value.kind === "constant")
    return typeof value.value === "string" && hasHole(value.value) ? null : Boolean(value.value);
  return value.kind === "list" || value.kind === "object" || value.kind === "function" ? true : null;
}

export const isMissing = (value: Value) => value.kind === "constant" && value.value === undefined;
export const not = (known: boolean | null) => (known === null ? null : !known);

export class Scope implements Names {
  readonly parent: Names | null;
  readonly frame: Frame;
  readonly names = new Map<string, Binding>();

  constructor(parent: Names | null, frame: Frame) {
    this.parent = parent;
    this.frame = frame;
    frame.vars ??= this;
  }

  declare(name: string, value: Value, context: number): void {
    const known = this.names.get(name);
    if (known === undefined) this.names.set(name, { value, context });
    else overwrite(known, value, context);
  }

  find(name: string): Binding | undefined {
    return this.names.get(name) ?? this.parent?.find(name);
  }
}

export function overwrite(binding: Binding, value: Value, context: number): void {
  binding.value = binding.context === context ? value : join([binding.value, value]);
}
