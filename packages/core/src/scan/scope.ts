import type * as t from "@babel/types";
import { type Closure, join, type Value } from "./value.ts";

/** A name of the file. In the context that it was declared in a write replaces its value; elsewhere it adds one. */
export interface Binding {
  value: Value;
  context: number;
}

/** One call of a function: what belongs to it and not to a block. */
export interface Frame {
  self: Value;
  closure: Closure | null;
  args: Value[];
  returned: Value[];
  yielded: Value[];
}

export class Scope {
  readonly parent: Scope | null;
  readonly context: number;
  readonly frame: Frame;
  readonly names = new Map<string, Binding>();

  constructor(parent: Scope | null, context: number, frame: Frame) {
    this.parent = parent;
    this.context = context;
    this.frame = frame;
  }

  declare(name: string, value: Value): void {
    const known = this.names.get(name);
    if (known === undefined) this.names.set(name, { value, context: this.context });
    else known.value = value;
  }

  find(name: string): Binding | null {
    let scope: Scope | null = this;
    while (scope !== null) {
      const binding = scope.names.get(name);
      if (binding !== undefined) return binding;
      scope = scope.parent;
    }
    return null;
  }
}

export function overwrite(binding: Binding, value: Value, context: number): void {
  binding.value = binding.context === context ? value : join([binding.value, value]);
}

/** The names that a pattern declares. */
export function namesOf(pattern: t.Node | null | undefined): string[] {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern.name];
    case "AssignmentPattern":
      return namesOf(pattern.left);
    case "RestElement":
      return namesOf(pattern.argument);
    case "ArrayPattern":
      return pattern.elements.flatMap(namesOf);
    case "ObjectPattern":
      return pattern.properties.flatMap((one) => namesOf(one.type === "RestElement" ? one : one.value));
    default:
      return [];
  }
}

/** The parts of a statement that hold further statements of the same function. */
const PARTS = [
  "declaration",
  "body",
  "block",
  "handler",
  "finalizer",
  "consequent",
  "alternate",
  "cases",
  "init",
  "left",
];

const varsByNode = new WeakMap<t.Node, readonly string[]>();

/** The names that `var` declares anywhere in a function or file. In a file one without a value may be the page's. */
export function varsOf(node: t.Node, isFile: boolean): readonly string[] {
  const known = varsByNode.get(node);
  if (known !== undefined) return known;
  let names: string[] = [];
  if (node.type === "VariableDeclaration" && node.kind === "var" && node.declare !== true)
    names = node.declarations.flatMap(({ id, init }) => (init != null || !isFile ? namesOf(id) : []));
  else if (/Statement$|^(?:Program|ExportNamed|SwitchCase|CatchClause)/.test(node.type))
    for (const part of PARTS)
      for (const inner of [(node as unknown as Record<string, t.Node | t.Node[] | null>)[part] ?? []].flat())
        names.push(...varsOf(inner, isFile));
  varsByNode.set(node, names);
  return names;
}
