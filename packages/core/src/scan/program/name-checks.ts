import type * as t from "@babel/types";
import type { Program, RareNameUse } from "./program.ts";
import { rareName, SPLIT_NAMES } from "./rare-names.ts";
import type { Scope } from "./scope.ts";

/** The checks that the walk makes on each name and string: one table lookup each. */

/** Strings of at least this length are checked as a whole. */
export const LITERAL = 30;

/** Records a name, and its location if it is a rare name. */
export function noteRare(
  { names, rare }: Program,
  name: string,
  how: RareNameUse["how"],
  node: t.Node,
  scope: Scope,
): boolean {
  let known = names.get(name);
  if (known === undefined) {
    known = rareName(name) !== undefined;
    names.set(name, known);
  }
  if (!known) return false;
  rare.push({ name, how, node, scope });
  return true;
}

/** All parts, of two letters or more, of the names that a file may build from pieces. */
const PIECES = new Set<string>();
for (const name of SPLIT_NAMES)
  for (let start = 0; start < name.length; start++)
    for (let end = start + 2; end <= name.length; end++)
      if (end - start < name.length) PIECES.add(name.slice(start, end));

export function isPiece(text: string): boolean {
  return text.length > 1 && PIECES.has(text);
}

/** Functions that concatenate, decode or change strings. */
const JOINING = new Set(
  "join concat reverse toReversed fromCharCode fromCodePoint decode atob decodeURIComponent decodeURI unescape padStart padEnd repeat toLowerCase toUpperCase fromEntries replace replaceAll".split(
    " ",
  ),
);

export function isJoin({ callee }: t.CallExpression | t.OptionalCallExpression | t.NewExpression): boolean {
  if (callee.type === "Identifier") return JOINING.has(callee.name);
  if (callee.type !== "MemberExpression" && callee.type !== "OptionalMemberExpression") return false;
  return callee.property.type === "Identifier" && !callee.computed && JOINING.has(callee.property.name);
}

/** A template literal that contains only pieces, or a URL whose host is built from parts. */
export function isTemplateOfPieces({ quasis }: t.TemplateLiteral): boolean {
  if (quasis[0]?.value.raw.endsWith("//") === true) return true;
  return quasis.every(({ value }) => value.raw === "" || isPiece(value.raw) || value.raw.length === 1);
}

/** A `+` of strings, none of which is longer than a piece. */
export function isSumOfPieces({ left, right }: t.BinaryExpression): boolean {
  return isShort(left) && isShort(right);
}

function isShort(node: t.Node): boolean {
  if (node.type === "StringLiteral") return node.value.length < 2 || isPiece(node.value);
  return node.type !== "NumericLiteral" && node.type !== "TemplateLiteral";
}

/** `[] + {}`, `true + ""`: a `+` of values that are neither strings nor numbers, useful only for the letters of its result. */
export function isCoercionSum({ left, right }: t.BinaryExpression): boolean {
  return isCoercedOperand(left, right) || isCoercedOperand(right, left);
}

function isCoercedOperand(node: t.Node, other: t.Node): boolean {
  if (node.type === "ArrayExpression") return node.elements.length === 0;
  if (node.type === "ObjectExpression") return node.properties.length === 0;
  if (node.type === "UnaryExpression")
    return (
      node.operator === "!" && node.argument.type === "ArrayExpression" && node.argument.elements.length === 0
    );
  if (other.type !== "StringLiteral" || other.value !== "") return false;
  return (
    node.type === "BooleanLiteral" ||
    node.type === "NullLiteral" ||
    (node.type === "Identifier" && (node.name === "undefined" || node.name === "NaN")) ||
    node.type === "FunctionExpression" ||
    node.type === "ArrowFunctionExpression"
  );
}
