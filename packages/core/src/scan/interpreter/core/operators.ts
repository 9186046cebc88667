import type * as t from "@babel/types";
import type { Scope } from "../../program/scope.ts";
import { chargeSteps } from "../budget.ts";
import type { Interpreter } from "../interpreter.ts";
import { addAll, asNumber, calculate, taintOf } from "../text/text.ts";
import { BEYOND_BUDGET, constant, each, type Frame, isText, UNKNOWN, unknown, type Value } from "../value.ts";
import { toPrimitive } from "./conversions.ts";

/** Longer chains of `+` are concatenated in one step. */
const LONG = 24;
/** Long chains are nested on the left; they are followed in a loop. */
export function evaluateBinary(
  interpreter: Interpreter,
  node: t.BinaryExpression,
  scope: Scope,
  env: Frame | null,
): Value {
  const chain: t.BinaryExpression[] = [node];
  let first: t.Node = node.left;
  while (first.type === "BinaryExpression") {
    const known = env === null ? interpreter.expressions.get(first) : undefined;
    if (known !== undefined) break;
    chain.push(first);
    first = first.left;
  }
  let sum = interpreter.evaluate(first, scope, env);
  if (!chargeSteps(chain.length >> 2)) return BEYOND_BUDGET;
  if (chain.length > LONG && chain.every((link) => link.operator === "+")) {
    const rest = chain.map((link) => interpreter.evaluate(link.right, scope, env)).reverse();
    // After the first string, all further operands are concatenated.
    if (isText(sum) || rest.slice(0, 2).some(isText)) return addAll([sum, ...rest]);
    return unknown(taintOf(sum));
  }
  for (let index = chain.length - 1; index >= 0; index--) {
    const link = chain[index] as t.BinaryExpression;
    const right = interpreter.evaluate(link.right, scope, env);
    if (!chargeSteps(1)) return BEYOND_BUDGET;
    sum =
      link.operator === "+"
        ? calculate("+", toPrimitive(interpreter, sum), toPrimitive(interpreter, right))
        : calculate(link.operator, sum, right);
  }
  return sum;
}

/** Unary operators. */
export function evaluateUnary(operator: string, argument: () => Value): Value {
  switch (operator) {
    case "void":
      return constant(undefined);
    case "!":
      return each(argument(), (value) => {
        if (value.kind === "constant") return constant(!value.value);
        return value.kind === "unknown" || value.kind === "text" || value.kind === "host"
          ? UNKNOWN
          : constant(false);
      });
    case "+":
    case "-":
    case "~":
      return each(argument(), (value) => {
        const number = asNumber(value);
        if (number === null) return unknown(taintOf(value));
        return constant(operator === "-" ? -number : operator === "~" ? ~number : number);
      });
    case "typeof":
      return UNKNOWN;
    default:
      return UNKNOWN;
  }
}
