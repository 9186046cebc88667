import type * as t from "@babel/types";
import { nameOfKey } from "./patterns.ts";
import { type Definition, declare, define, functionScope, type Scope } from "./scope.ts";
import { bind } from "./walk-bindings.ts";
import { visitClass, visitFunction } from "./walk-functions.ts";
import type { Walk } from "./walk-state.ts";

/** Declares a function; in a sloppy script, a function in a block is also visible outside it. */
export function visitDeclaredFunction(walk: Walk, node: t.FunctionDeclaration, scope: Scope): void {
  if (node.id) {
    const value: Definition = { how: "value", node, scope };
    define(scope, node.id.name, value);
    const home = functionScope(scope);
    if (walk.sloppy && home !== scope) define(home, node.id.name, value);
  }
  visitFunction(walk, node, scope, { kind: "function", node });
}

/** Declarations and other nodes that assign values to names. False for any other node. */
export function visitNaming(walk: Walk, node: t.Node, scope: Scope): boolean {
  switch (node.type) {
    case "ClassDeclaration":
      if (node.declare === true) return true;
      if (node.id) define(scope, node.id.name, { how: "value", node, scope });
      visitClass(walk, node, scope);
      return true;
    case "UpdateExpression":
      if (node.argument.type === "Identifier") {
        walk.program.nameWrites.push({ name: node.argument.name, value: { how: "unknown" }, scope, node });
      } else walk.visit(node.argument, scope);
      return true;
    case "ImportDeclaration":
      if (node.importKind === "type" || node.importKind === "typeof") return true;
      walk.program.sources.push({ node: node.source });
      for (const specifier of node.specifiers) {
        if (specifier.type === "ImportSpecifier" && specifier.importKind === "type") continue;
        const named = specifier.type === "ImportSpecifier" ? nameOfKey(specifier.imported) : "default";
        const path = `npm:${node.source.value.replace(/^node:/, "").slice(0, 60)}${named === "default" ? "" : `.${named}`}`;
        define(scope, specifier.local.name, { how: "import", path });
      }
      return true;
    case "ExportNamedDeclaration":
      if (node.source && node.exportKind !== "type") walk.program.sources.push({ node: node.source });
      if (node.declaration) walk.visit(node.declaration, scope);
      return true;
    case "ExportAllDeclaration":
      if (node.exportKind !== "type") walk.program.sources.push({ node: node.source });
      return true;
    case "TSImportEqualsDeclaration": {
      const from = node.moduleReference;
      if (from.type !== "TSExternalModuleReference") {
        define(scope, node.id.name, entityOf(from, scope));
        return true;
      }
      walk.program.sources.push({ node: from.expression });
      define(scope, node.id.name, {
        how: "import",
        path: `npm:${from.expression.value.slice(0, 60)}`,
      });
      return true;
    }
    case "TSEnumDeclaration":
      if (node.declare === true) return true;
      define(scope, node.id.name, { how: "value", node, scope });
      for (const member of node.body.members) if (member.initializer) walk.visit(member.initializer, scope);
      return true;
    case "TSModuleDeclaration":
      // The statements are walked, but the name is not declared: with types alone, it does not exist at run time.
      if (node.declare !== true && node.body) walk.visit(node.body, scope);
      return true;
    default:
      return false;
  }
}

/** `import e = a.b.c`, which is `const e = a.b.c` at run time. */
function entityOf(name: t.TSEntityName, scope: Scope): Definition {
  if (name.type !== "TSQualifiedName") return { how: "value", node: name, scope };
  return { how: "member", from: entityOf(name.left, scope), key: name.right.name, scope };
}

export function visitDeclaration(
  walk: Walk,
  node: t.VariableDeclaration,
  scope: Scope,
  given?: Definition,
): void {
  // `declare const fetch: …` does not exist at run time: the name is the global one.
  if (node.declare === true) return;
  const home = node.kind === "var" ? functionScope(scope) : scope;
  for (const declarator of node.declarations) {
    const { id, init } = declarator;
    if (init) walk.visit(init, scope);
    const value: Definition | undefined = given ?? (init ? { how: "value", node: init, scope } : undefined);
    if (value !== undefined) bind(walk, id, value, scope, home, declarator);
    else if (id.type === "Identifier") declare(home, id.name);
    else bind(walk, id, { how: "unknown" }, scope, home, declarator);
  }
}

export function visitAssignment(walk: Walk, node: t.AssignmentExpression, scope: Scope): void {
  const { left, right, operator } = node;
  walk.visit(right, scope);
  const plain = operator === "=" || operator === "||=" || operator === "&&=" || operator === "??=";
  const value: Definition = plain
    ? { how: "value", node: right, scope }
    : { how: "compound", node: right, scope, operator: operator.slice(0, -1), looped: walk.looped };
  if (left.type === "MemberExpression" && !plain) {
    walk.program.memberWrites.push({ target: left, value, operator, scope, node });
    walk.visit(left, scope);
  } else bind(walk, left, value, scope, null, node);
}
