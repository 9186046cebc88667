import type * as t from "@babel/types";
import type { Evaluator } from "./evaluator.ts";
import { hoistBlock, runBlock } from "./statements.ts";
import { Scope, varsOf } from "./scope.ts";
import { constant, host, type Record_, type Value } from "./value.ts";

/** The path of a package's exports. */
export const packagePath = (name: string) => `npm:${name.replace(/^node:/, "")}`;

/** Names that are imported: members of a package. Types have no value. */
export function bindImports(node: t.ImportDeclaration, scope: Scope): void {
  if (node.importKind === "type") return;
  const path = packagePath(node.source.value);
  for (const specifier of node.specifiers) {
    if (specifier.type !== "ImportSpecifier") scope.declare(specifier.local.name, host(path));
    else if (specifier.importKind !== "type") {
      const { imported } = specifier;
      const name = imported.type === "Identifier" ? imported.name : imported.value;
      scope.declare(specifier.local.name, host(name === "default" ? path : `${path}.${name}`));
    }
  }
}

export function makeEnum(evaluator: Evaluator, node: t.TSEnumDeclaration, scope: Scope): Value {
  const made: Record_ = { kind: "object", props: new Map(), of: null, context: evaluator.context };
  const inner = new Scope(scope, evaluator.context, scope.frame);
  node.body.members.forEach(({ id, initializer }, index) => {
    const name = id.type === "Identifier" ? id.name : id.type === "StringLiteral" ? id.value : "";
    const value = initializer == null ? constant(index) : evaluator.evaluate(initializer, inner);
    made.props.set(name, value);
    inner.declare(name, value);
  });
  return made;
}

/** A namespace: an object of the names that its body declares. */
export function makeNamespace(evaluator: Evaluator, node: t.TSModuleDeclaration, scope: Scope): void {
  const { body } = node;
  if (body?.type !== "TSModuleBlock") return;
  const inner = new Scope(scope, evaluator.context, scope.frame);
  for (const name of varsOf({ ...body, type: "BlockStatement" } as unknown as t.BlockStatement, false))
    inner.hoist(name);
  hoistBlock(evaluator, body.body, inner);
  runBlock(evaluator, body.body, inner);
  const props = new Map([...inner.names()].map(([name, { value }]) => [name, value] as const));
  // One that holds types alone does not hide a name of the page.
  if (node.id.type === "Identifier" && props.size > 0)
    scope.declare(node.id.name, { kind: "object", props, of: null, context: evaluator.context });
}
