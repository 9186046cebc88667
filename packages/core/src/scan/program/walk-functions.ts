import type * as t from "@babel/types";
import type { FunctionFacts } from "./program.ts";
import { define, openScope, type Scope, type Self } from "./scope.ts";
import { bind } from "./walk-bindings.ts";
import { visitAll, type Walk } from "./walk-state.ts";

export function visitFunction(walk: Walk, node: t.Function, outer: Scope, self: Self): void {
  let around = outer;
  if (node.type === "FunctionExpression" && node.id) {
    around = openScope(outer);
    define(around, node.id.name, { how: "value", node, scope: outer });
  }
  const scope = openScope(around, node);
  if (node.type !== "ArrowFunctionExpression") scope.self = self;
  const { facts: outerFacts, looped: outerLooped } = walk;
  const facts: FunctionFacts = newFacts(scope);
  walk.facts = facts;
  walk.looped = false;
  walk.program.functions.set(node, facts);
  const { params } = node;
  for (let index = 0; index < params.length; index++) {
    const param = params[index] as t.Function["params"][number];
    const rest = param.type === "RestElement";
    bind(
      walk,
      rest ? param.argument : param,
      { how: "parameter", fn: node, index, rest },
      scope,
      scope,
      param,
    );
    const decorators = (param as { decorators?: t.Decorator[] | null }).decorators;
    if (decorators) visitAll(walk, decorators, outer);
  }
  if (node.body.type === "BlockStatement") visitAll(walk, node.body.body, scope);
  else {
    noteReturn(facts, node.body, scope);
    walk.visit(node.body, scope);
  }
  if (node.type === "ArrowFunctionExpression" && facts.variadic && outerFacts) outerFacts.variadic = true;
  walk.facts = outerFacts;
  walk.looped = outerLooped;
}

export function noteReturn(facts: FunctionFacts, node: t.Expression, scope: Scope): void {
  if (facts.returns.length === 0) facts.returns = [{ node, scope }];
  else facts.returns.push({ node, scope });
  if (node.type !== "JSXElement" && node.type !== "JSXFragment" && node.type !== "NullLiteral")
    facts.returnsValues = true;
}

/** The empty list that all functions start with; never changed. */
const NONE: never[] = [];

function newFacts(scope: Scope): FunctionFacts {
  return { scope, returns: NONE, yields: NONE, returnsValues: false, variadic: false, callers: NONE };
}

export function visitClass(walk: Walk, node: t.Class, outer: Scope): void {
  if (node.decorators) visitAll(walk, node.decorators, outer);
  if (node.superClass) walk.visit(node.superClass, outer);
  const around = openScope(outer);
  if (node.id) define(around, node.id.name, { how: "value", node, scope: outer });
  for (const member of node.body.body) {
    const isStatic = member.type === "StaticBlock" || ("static" in member && member.static === true);
    const self: Self = { kind: isStatic ? "static" : "instance", node };
    if ("computed" in member && member.computed === true) walk.visit(member.key, around);
    if ("decorators" in member && member.decorators) visitAll(walk, member.decorators, around);
    if (member.type === "ClassMethod" || member.type === "ClassPrivateMethod") {
      visitFunction(walk, member, around, self);
      continue;
    }
    const scope = openScope(around);
    scope.self = self;
    if (member.type === "StaticBlock") visitAll(walk, member.body, scope);
    else if ("value" in member && member.value) walk.visit(member.value as t.Node, scope);
    const inner = "value" in member ? member.value : null;
    if (inner) walk.program.functions.set(member, newFacts(scope));
  }
}
