import type * as t from "@babel/types";
import type { Program } from "../../program/program.ts";
import type { Interpreter } from "../interpreter.ts";
import { CHARWISE, MEMBER_TAINTS, unknown, type Value } from "../value.ts";

/** Functions that split strings into letters, or make letters from numbers or other letters. */
const CHARWISE_FUNCTIONS = new Set(
  "fromCharCode fromCodePoint charAt atob TextDecoder unescape normalize ListFormat reverse toReversed reduceRight".split(
    " ",
  ),
);
/** All names that are checked. */
const KNOWN = new Set([
  ...CHARWISE_FUNCTIONS,
  "split",
  "match",
  "matchAll",
  "toString",
  "replace",
  "replaceAll",
  "decodeURIComponent",
  "decodeURI",
]);
/** A pattern that matches one or more of any letter. */
const LETTERS = /^(?:|\.(?:\{\d+(?:,\d*)?\}|\.+)?|\(\?:?\.*\)|\(\?=.*)$/s;

/** Where a source builds strings letter by letter, in source order. */
export function charwiseCallsIn(program: Program): number[] {
  const places: number[] = [];
  for (const { node } of program.calls) {
    if (node.type === "ImportExpression") continue;
    const { callee } = node;
    const name =
      callee.type === "Identifier"
        ? callee.name
        : callee.type === "MemberExpression" && callee.property.type === "Identifier"
          ? callee.property.name
          : "";
    if (!KNOWN.has(name)) continue;
    if (isDecoding(name, node.arguments)) program.decodes = true;
    if (CHARWISE_FUNCTIONS.has(name) || splitsIntoCharacters(name, node.arguments))
      places.push(node.start ?? 0);
  }
  return places.sort((a, b) => a - b);
}

/** `decodeURIComponent(…)`, `text.replace(…, (found) => …)`. */
function isDecoding(name: string, [, by]: t.Node[]): boolean {
  if (name !== "replace" && name !== "replaceAll")
    return name === "decodeURIComponent" || name === "decodeURI";
  return (
    by?.type === "ArrowFunctionExpression" || by?.type === "FunctionExpression" || by?.type === "Identifier"
  );
}

/** `text.split("")`, `text.match(/.{8}/g)`, `number.toString(36)`. */
function splitsIntoCharacters(name: string, [by]: t.Node[]): boolean {
  if (name !== "split" && name !== "match" && name !== "matchAll" && name !== "toString") return false;
  if (name === "toString") return by?.type === "NumericLiteral" && by.value !== 10;
  if (by?.type === "StringLiteral") return by.value === "";
  return by?.type === "RegExpLiteral" && LETTERS.test(by.pattern);
}

/** Whether a node builds strings letter by letter. */
function buildsCharwise({ charwiseCalls }: Interpreter, { start, end }: t.Node): boolean {
  let [low, high] = [0, charwiseCalls.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((charwiseCalls[middle] ?? 0) < (start ?? 0)) low = middle + 1;
    else high = middle;
  }
  return (charwiseCalls[low] ?? Number.POSITIVE_INFINITY) < (end ?? 0);
}

/** Adds CHARWISE to a result that is not fully known, if `node` (a call or a function) builds strings letter by letter. */
export function markCharwise(interpreter: Interpreter, value: Value, node: t.Node): Value {
  if (interpreter.charwiseCalls.length === 0 || value.kind === "constant" || value.kind === "host")
    return value;
  if (value.kind === "unknown")
    return (value.taint & (CHARWISE | MEMBER_TAINTS)) !== 0 || !buildsCharwise(interpreter, node)
      ? value
      : unknown(value.taint | CHARWISE);
  if (value.kind === "text" && (value.taint & CHARWISE) === 0 && buildsCharwise(interpreter, node))
    return { ...value, taint: value.taint | CHARWISE };
  return value;
}
