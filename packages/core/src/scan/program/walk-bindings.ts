import type * as t from "@babel/types";
import { isRare } from "./notes.ts";
import { bindPattern } from "./patterns.ts";
import { type Definition, define, type Scope } from "./scope.ts";
import type { Walk } from "./walk-state.ts";

/** Gives what a pattern names its part of a value: declared at home, or assigned where there is none. */
export function bind(
  walk: Walk,
  pattern: t.Node,
  value: Definition,
  scope: Scope,
  home: Scope | null,
  node: t.Node,
): void {
  if (pattern.type === "Identifier") {
    if (home !== null) define(home, pattern.name, value);
    else walk.program.nameWrites.push({ name: pattern.name, value, scope, node });
    return;
  }
  bindPattern(pattern, value, scope, {
    name(target, part) {
      if (home !== null) define(home, target.name, part);
      else walk.program.nameWrites.push({ name: target.name, value: part, scope, node });
    },
    member(target, part) {
      walk.program.memberWrites.push({ target, value: part, operator: "=", scope, node });
      walk.visit(target, scope);
    },
    expression: (inner) => walk.visit(inner, scope),
    key(at, name) {
      if (isRare(name)) walk.program.rare.push({ name, how: "key", node: at, scope });
    },
  });
}
