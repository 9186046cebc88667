import type * as t from "@babel/types";
import { noteRare } from "./name-checks.ts";
import { bindPattern } from "./patterns.ts";
import { type Definition, define, type Scope } from "./scope.ts";
import type { Walk } from "./walk-state.ts";

/** Binds the names in a pattern to their parts of a value: declared in `home`, or assigned if it is null. */
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
      noteRare(walk.program, name, "key", at, scope);
    },
  });
}
