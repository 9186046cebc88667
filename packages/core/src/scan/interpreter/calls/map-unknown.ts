import type * as t from "@babel/types";
import { list } from "../builtins/builtin.ts";
import type { Interpreter } from "../interpreter.ts";
import { taintOf } from "../text/text.ts";
import { UNKNOWN, unknown, type Value } from "../value.ts";

/** What a function makes of each of elements that are not known; how many there are is not known either. */
export function mapUnknown(interpreter: Interpreter, element: Value, callback: Value): Value {
  if (callback.kind !== "function" || !mayTell(interpreter, callback.node)) return element;
  const made = interpreter.follow(callback, [element, UNKNOWN]);
  if (made.kind === "list") return list([...made.items, unknown(taintOf(made))]);
  return made.kind === "unknown" ? made : list([made, unknown(taintOf(made))]);
}

/** Whether what a function gives back may be worth following. */
export function mayTell(interpreter: Interpreter, fn: t.Function): boolean {
  return interpreter.program.functions.get(fn)?.telling === true || fn.generator === true;
}
