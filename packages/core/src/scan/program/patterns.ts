import type * as t from "@babel/types";
import type { Member } from "./program.ts";
import type { Definition, Scope } from "./scope.ts";

/** Handlers for the parts of a destructuring pattern. */
export interface Targets {
  name(node: t.Identifier, value: Definition): void;
  member(node: Member, value: Definition): void;
  /** An expression inside the pattern: a default value or a computed key. */
  expression(node: t.Expression): void;
  /** The name of a property that the pattern reads. */
  key(node: t.Node, name: string): void;
}

/** Follows a destructuring pattern to its names and property accesses, with the part of the value that each receives. */
export function bindPattern(pattern: t.Node, value: Definition, scope: Scope, targets: Targets): void {
  switch (pattern.type) {
    case "Identifier":
      targets.name(pattern, value);
      return;
    case "MemberExpression":
    case "OptionalMemberExpression":
      targets.member(pattern, value);
      return;
    case "AssignmentPattern": {
      targets.expression(pattern.right);
      const fallback: Definition = { how: "value", node: pattern.right, scope };
      bindPattern(pattern.left, { how: "either", of: [value, fallback] }, scope, targets);
      return;
    }
    case "ObjectPattern":
      for (const property of pattern.properties) {
        if (property.type === "RestElement") {
          bindPattern(property.argument, value, scope, targets);
          continue;
        }
        if (property.computed) targets.expression(property.key as t.Expression);
        const key = property.computed ? (property.key as t.Expression) : nameOfKey(property.key);
        if (typeof key === "string") targets.key(property.key, key);
        bindPattern(property.value, { how: "member", from: value, key, scope }, scope, targets);
      }
      return;
    case "ArrayPattern":
      pattern.elements.forEach((element, index) => {
        if (element === null) return;
        if (element.type === "RestElement") {
          bindPattern(element.argument, { how: "items", from: value, start: index }, scope, targets);
        } else bindPattern(element, { how: "item", from: value, index }, scope, targets);
      });
      return;
    case "TSParameterProperty":
      bindPattern(pattern.parameter, value, scope, targets);
      return;
    case "TSAsExpression":
    case "TSSatisfiesExpression":
    case "TSNonNullExpression":
    case "TSTypeAssertion":
    case "TypeCastExpression":
    case "ParenthesizedExpression":
      bindPattern(pattern.expression, value, scope, targets);
      return;
  }
}

/** The property name of a key that is not computed. */
export function nameOfKey(key: t.Node): string {
  switch (key.type) {
    case "Identifier":
    case "JSXIdentifier":
      return key.name;
    case "PrivateName":
      return `#${key.id.name}`;
    case "StringLiteral":
      return key.value;
    case "NumericLiteral":
    case "BigIntLiteral":
      return String(key.value);
    default:
      return "";
  }
}
