import type * as t from "@babel/types";
import { type Definition, openScope, type Scope } from "./scope.ts";
import { bind } from "./walk-bindings.ts";
import { visitDeclaration } from "./walk-names.ts";
import { visitAll, type Walk } from "./walk-state.ts";

/** How many values thrown in one block are followed. */
const THROWN = 8;

/** Statements that open scopes, loop or throw, and `yield`. False for any other node. */
export function visitStatement(walk: Walk, node: t.Node, scope: Scope): boolean {
  switch (node.type) {
    case "YieldExpression":
      if (node.argument) {
        const one = { node: node.argument, scope, all: node.delegate };
        if (walk.facts?.yields.length === 0) walk.facts.yields = [one];
        else walk.facts?.yields.push(one);
        walk.visit(node.argument, scope);
      }
      return true;
    case "TSModuleBlock":
      visitAll(walk, node.body, openScope(scope));
      return true;
    case "SwitchStatement": {
      walk.visit(node.discriminant, scope);
      const inner = openScope(scope);
      for (const branch of node.cases) {
        if (branch.test) walk.visit(branch.test, inner);
        visitAll(walk, branch.consequent, inner);
      }
      return true;
    }
    case "ForStatement": {
      const inner = openScope(scope);
      if (node.init) walk.visit(node.init, inner);
      visitLoop(walk, () => {
        if (node.test) walk.visit(node.test, inner);
        if (node.update) walk.visit(node.update, inner);
        walk.visit(node.body, inner);
      });
      return true;
    }
    case "ForInStatement":
    case "ForOfStatement": {
      const inner = openScope(scope);
      walk.visit(node.right, scope);
      if (node.type === "ForInStatement") walk.program.enumerated.push({ node: node.right, scope });
      const from: Definition = { how: "value", node: node.right, scope };
      const element: Definition =
        node.type === "ForOfStatement" ? { how: "element", from } : { how: "key", from };
      if (node.left.type === "VariableDeclaration") visitDeclaration(walk, node.left, inner, element);
      else bind(walk, node.left, element, inner, null, node);
      visitLoop(walk, () => walk.visit(node.body, inner));
      return true;
    }
    case "WhileStatement":
    case "DoWhileStatement":
      visitLoop(walk, () => {
        walk.visit(node.test, scope);
        walk.visit(node.body, scope);
      });
      return true;
    case "TryStatement": {
      const outer = walk.thrown;
      walk.thrown = [];
      walk.visit(node.block, scope);
      const { thrown } = walk;
      walk.thrown = outer;
      if (node.handler) visitCatch(walk, node.handler, thrown, scope);
      if (node.finalizer) walk.visit(node.finalizer, scope);
      return true;
    }
    case "ThrowStatement":
      walk.thrown.push({ how: "value", node: node.argument, scope });
      walk.visit(node.argument, scope);
      return true;
    case "WithStatement": {
      walk.visit(node.object, scope);
      const inner = openScope(scope);
      inner.withObject = node.object;
      walk.program.hasWith = true;
      walk.visit(node.body, inner);
      return true;
    }
    default:
      return false;
  }
}

/** The caught value is one that the block itself throws, or unknown. */
function visitCatch(walk: Walk, node: t.CatchClause, thrown: Definition[], scope: Scope): void {
  const inner = openScope(scope);
  const caught: Definition =
    thrown.length === 0
      ? { how: "unknown" }
      : { how: "either", of: [...thrown.slice(0, THROWN), { how: "unknown" }] };
  if (node.param) bind(walk, node.param, caught, inner, inner, node);
  visitAll(walk, node.body.body, inner);
}

function visitLoop(walk: Walk, body: () => void): void {
  const before = walk.looped;
  walk.looped = true;
  body();
  walk.looped = before;
}
