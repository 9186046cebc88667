import type * as t from "@babel/types";
import { list } from "../builtins/builtin.ts";
import type { Interpreter } from "../interpreter.ts";
import { taintOf } from "../text/text.ts";
import { UNKNOWN, unknown, type Value } from "../value.ts";

/** The result of a callback for each of the unknown elements of a list; their number is unknown too. */
export function mapUnknown(interpreter: Interpreter, element: Value, callback: Value): Value {
  if (callback.kind !== "function" || !mayReturnValue(interpreter, callback.node)) return element;
  const made = interpreter.follow(callback, [element, UNKNOWN]);
  if (made.kind === "list") return list([...made.items, unknown(taintOf(made))]);
  return made.kind === "unknown" ? made : list([made, unknown(taintOf(made))]);
}

/** Whether the return value of a function may be worth following. */
export function mayReturnValue(interpreter: Interpreter, fn: t.Function): boolean {
  return interpreter.program.functions.get(fn)?.returnsValues === true || fn.generator === true;
}
