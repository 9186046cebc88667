import type * as t from "@babel/types";
import type { Evaluator } from "./evaluator.ts";
import { readOwner } from "./expressions.ts";
import type { Scope } from "./scope.ts";
import { join, options, UNKNOWN, type Value } from "./value.ts";

/** Gives the names of a pattern their values: as new names of the scope, or as names that there are already. */
export function bindPattern(
  evaluator: Evaluator,
  pattern: t.Node | null | undefined,
  value: Value,
  scope: Scope,
  how: "declare" | "assign",
): void {
  switch (pattern?.type) {
    case "Identifier":
      if (how === "declare") scope.declare(pattern.name, value);
      else evaluator.writeName(pattern.name, value, scope, pattern);
      return;
    case "AssignmentPattern":
      return bindPattern(
        evaluator,
        pattern.left,
        withDefault(evaluator, value, pattern.right, scope),
        scope,
        how,
      );
    case "TSParameterProperty": {
      bindPattern(evaluator, pattern.parameter, value, scope, how);
      const name =
        pattern.parameter.type === "AssignmentPattern" ? pattern.parameter.left : pattern.parameter;
      if (name.type === "Identifier")
        evaluator.write(scope.frame.self, name.name, evaluator.readName(name.name, scope), pattern);
      return;
    }
    case "ArrayPattern":
      pattern.elements.forEach((element, index) => {
        if (element?.type === "RestElement")
          bindPattern(evaluator, element.argument, rest(value, index), scope, how);
        else if (element != null)
          bindPattern(evaluator, element, evaluator.member(value, String(index)), scope, how);
      });
      return;
    case "ObjectPattern":
      for (const property of pattern.properties)
        if (property.type === "RestElement") bindPattern(evaluator, property.argument, value, scope, how);
        else
          bindPattern(
            evaluator,
            property.value,
            evaluator.member(value, evaluator.key(property, scope)),
            scope,
            how,
          );
      return;
    default:
      if (pattern != null) assign(evaluator, pattern, value, scope);
  }
}

/** Writes a value to a name, a member or each part of a pattern. */
export function assign(evaluator: Evaluator, target: t.Node, value: Value, scope: Scope): void {
  switch (target.type) {
    case "MemberExpression":
    case "OptionalMemberExpression": {
      const owner =
        target.object.type === "Super" ? scope.frame.self : readOwner(evaluator, target.object, scope);
      const { property } = target;
      if (target.computed)
        for (const key of evaluator.texts(evaluator.evaluate(property, scope)))
          evaluator.write(owner, key, value, target);
      else if (property.type === "PrivateName") evaluator.write(owner, `#${property.id.name}`, value, target);
      else if (property.type === "Identifier") evaluator.write(owner, property.name, value, target);
      return;
    }
    case "TSAsExpression":
    case "TSNonNullExpression":
    case "TSSatisfiesExpression":
    case "TSTypeAssertion":
    case "ParenthesizedExpression":
      return assign(evaluator, target.expression, value, scope);
    case "Identifier":
    case "AssignmentPattern":
    case "ArrayPattern":
    case "ObjectPattern":
    case "TSParameterProperty":
      return bindPattern(evaluator, target, value, scope, "assign");
  }
}

function withDefault(evaluator: Evaluator, value: Value, node: t.Node, scope: Scope): Value {
  const isMissing = (one: Value) => one.kind === "constant" && one.value === undefined;
  if (!options(value).some((one) => isMissing(one) || one.kind === "unknown")) {
    evaluator.skip(node as t.Expression, scope);
    return value;
  }
  const fallback = evaluator.evaluate(node, scope);
  return isMissing(value) ? fallback : join([fallback, ...options(value).filter((one) => !isMissing(one))]);
}

function rest(value: Value, from: number): Value {
  const [first = UNKNOWN] = options(value);
  return first.kind === "list" ? { ...first, items: first.items.slice(from) } : UNKNOWN;
}
