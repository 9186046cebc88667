import type * as t from "@babel/types";
import { type Closure, join, UNDEFINED, type Value } from "./value.ts";

/** A name of the file. It is overwritten only in the context it was declared in; elsewhere it gets one more alternative. */
export interface Binding {
  value: Value;
  context: number;
  /** Functions that read the name while they were looked at by themselves. */
  readers: Set<Closure> | null;
}

/** One activation of a function: what belongs to the call and not to a block. */
export interface Frame {
  self: Value;
  closure: Closure | null;
  args: Value[];
  returned: Value[];
  yielded: Value[];
  context: number;
}

export class Scope {
  readonly parent: Scope | null;
  readonly context: number;
  readonly frame: Frame;
  readonly #names = new Map<string, Binding>();

  constructor(parent: Scope | null, context: number, frame: Frame) {
    this.parent = parent;
    this.context = context;
    this.frame = frame;
  }

  declare(name: string, value: Value): void {
    const known = this.#names.get(name);
    if (known === undefined) this.#names.set(name, { value, context: this.context, readers: null });
    else known.value = value;
  }

  /** Declares a name that may be declared already. */
  hoist(name: string): void {
    if (!this.#names.has(name)) this.declare(name, UNDEFINED);
  }

  names(): IterableIterator<[string, Binding]> {
    return this.#names.entries();
  }

  find(name: string): Binding | null {
    let scope: Scope | null = this;
    while (scope !== null) {
      const binding = scope.#names.get(name);
      if (binding !== undefined) return binding;
      scope = scope.parent;
    }
    return null;
  }
}

export function overwrite(binding: Binding, value: Value, context: number): void {
  binding.value = binding.context === context ? value : join([binding.value, value]);
}

/** Whether a declaration exists only for the type checker. */
function isTypeOnly(node: t.Statement): boolean {
  return ("declare" in node && node.declare === true) || node.type.startsWith("Declare");
}

/** The declarations of a block whose names are known in all of it. */
export function declarationsOf(body: readonly t.Statement[]): t.Statement[] {
  const found: t.Statement[] = [];
  for (const statement of body) {
    const node =
      (statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration") &&
      statement.declaration != null
        ? (statement.declaration as t.Statement)
        : statement;
    switch (node.type) {
      case "FunctionDeclaration":
      case "ClassDeclaration":
      case "VariableDeclaration":
      case "ImportDeclaration":
      case "TSEnumDeclaration":
      case "TSModuleDeclaration":
      case "TSImportEqualsDeclaration":
        if (!isTypeOnly(node)) found.push(node);
    }
  }
  return found;
}

/** The names that a pattern declares. */
export function namesOf(pattern: t.Node | null | undefined, names: string[] = []): string[] {
  switch (pattern?.type) {
    case "Identifier":
      names.push(pattern.name);
      break;
    case "AssignmentPattern":
      namesOf(pattern.left, names);
      break;
    case "RestElement":
      namesOf(pattern.argument, names);
      break;
    case "TSParameterProperty":
      namesOf(pattern.parameter, names);
      break;
    case "ArrayPattern":
      for (const element of pattern.elements) namesOf(element, names);
      break;
    case "ObjectPattern":
      for (const property of pattern.properties)
        namesOf(property.type === "RestElement" ? property : property.value, names);
  }
  return names;
}

const varsByNode = new WeakMap<t.Node, string[]>();

/** The names that `var` declares anywhere in a function; at the top of the file only those with a value. */
export function varsOf(node: t.Node, isProgram: boolean): string[] {
  const known = varsByNode.get(node);
  if (known !== undefined) return known;
  const names: string[] = [];
  const visit = (statement: t.Node | null | undefined): void => {
    switch (statement?.type) {
      case "VariableDeclaration":
        if (statement.kind !== "var" || isTypeOnly(statement)) return;
        for (const { id, init } of statement.declarations)
          if (init != null || id.type !== "Identifier" || !isProgram) namesOf(id, names);
        return;
      case "BlockStatement":
      case "Program":
        return statement.body.forEach(visit);
      case "IfStatement":
        visit(statement.consequent);
        return visit(statement.alternate);
      case "ForInStatement":
      case "ForOfStatement":
        visit(statement.left);
        return visit(statement.body);
      case "ForStatement":
        visit(statement.init);
        return visit(statement.body);
      case "WhileStatement":
      case "DoWhileStatement":
      case "LabeledStatement":
        return visit(statement.body);
      case "TryStatement":
        visit(statement.block);
        visit(statement.handler?.body);
        return visit(statement.finalizer);
      case "SwitchStatement":
        for (const { consequent } of statement.cases) consequent.forEach(visit);
        return;
      case "ExportNamedDeclaration":
        visit(statement.declaration);
    }
  };
  visit(node);
  varsByNode.set(node, names);
  return names;
}
