import type * as t from "@babel/types";
import type { Value } from "../interpreter/value.ts";

/** A part of the program in which names are declared. */
export interface Scope {
  parent: Scope | null;
  /** Created with the first name, as most blocks declare none. */
  names: Map<string, Binding> | null;
  /** The function whose outermost scope this is; null for blocks and the top of the file. */
  fn: t.Function | null;
  /** The object of a `with` statement, whose members shadow all outer names. */
  withObject: t.Expression | null;
  /** The meaning of `this`, if this scope sets it. */
  self: Self | null;
}

/** What `this` means: the file's top level, a class, an object literal's method, or a plain function. */
export type Self =
  | { kind: "top" }
  | { kind: "instance" | "static"; node: t.Class }
  | { kind: "object"; node: t.ObjectExpression }
  | { kind: "function"; node: t.Function };

/** A declared name and all values that the file assigns to it. */
export interface Binding {
  name: string;
  scope: Scope;
  definitions: Definition[];
}

/** Where a value comes from. */
export type Definition =
  | { how: "value"; node: t.Node; scope: Scope }
  | { how: "compound"; node: t.Expression; scope: Scope; operator: string; looped: boolean }
  | { how: "parameter"; fn: t.Function; index: number; rest: boolean }
  | { how: "member"; from: Definition; key: string | t.Expression; scope: Scope }
  | { how: "item"; from: Definition; index: number }
  | { how: "items"; from: Definition; start: number }
  | { how: "element"; from: Definition }
  | { how: "key"; from: Definition }
  | { how: "either"; of: Definition[] }
  | { how: "import"; path: string }
  | { how: "given"; value: Value }
  | { how: "unknown" };

export function openScope(parent: Scope | null, fn: t.Function | null = null): Scope {
  return { parent, names: null, fn, withObject: null, self: null };
}

/** The nearest scope of a function or of the file, where `var` declares. */
export function functionScope(scope: Scope): Scope {
  let at = scope;
  while (at.fn === null && at.parent !== null) at = at.parent;
  return at;
}

export function declare(scope: Scope, name: string): Binding {
  scope.names ??= new Map();
  const known = scope.names.get(name);
  if (known !== undefined) return known;
  const binding: Binding = { name, scope, definitions: [] };
  scope.names.set(name, binding);
  return binding;
}

/** Adds a definition to a name, and declares a new name. Most names have only one definition. */
export function define(scope: Scope, name: string, definition: Definition): void {
  scope.names ??= new Map();
  const known = scope.names.get(name);
  if (known === undefined) scope.names.set(name, { name, scope, definitions: [definition] });
  else known.definitions.push(definition);
}

/** The binding of a name in a scope; null for a global name. */
export function resolve(scope: Scope, name: string): Binding | null {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const binding = at.names?.get(name);
    if (binding !== undefined) return binding;
  }
  return null;
}

/** How many nested `with` statements are followed. */
const MAX_WITHS = 4;

/** The `with` objects between a scope and the one that declares a name (or the top), innermost first. */
export function withObjects(scope: Scope, declaring: Scope | null): { node: t.Expression; scope: Scope }[] {
  const found: { node: t.Expression; scope: Scope }[] = [];
  for (let at: Scope | null = scope; at !== null && at !== declaring; at = at.parent) {
    if (found.length === MAX_WITHS) break;
    if (at.withObject !== null && at.parent !== null) found.push({ node: at.withObject, scope: at.parent });
  }
  return found;
}

export function isWithin(scope: Scope, outer: Scope): boolean {
  for (let at: Scope | null = scope; at !== null; at = at.parent) if (at === outer) return true;
  return false;
}
