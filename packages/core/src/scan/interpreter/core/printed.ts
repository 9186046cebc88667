import type { Interpreter } from "../interpreter.ts";
import { constant, type Value } from "../value.ts";

/** The text that an object of the file with a `toString` of its own, or what comes before that, turns into. */
export function printed(interpreter: Interpreter, value: Value): Value {
  if (value.kind !== "object" && value.kind !== "instance") return value;
  for (const name of ["@@Symbol.toPrimitive", "toString"]) {
    const method = interpreter.member(value, name);
    if (method.kind === "function") return interpreter.call(method, () => [constant("string")]);
  }
  return value;
}

/** What iterating over an object of the file gives, where it has an iterator of its own. */
export function iterated(interpreter: Interpreter, value: Value): Value {
  if (value.kind !== "object" && value.kind !== "instance") return value;
  const iterator = interpreter.member(value, "@@Symbol.iterator");
  const items = iterator.kind === "function" ? interpreter.call(iterator, () => []) : value;
  return items.kind === "list" ? items : value;
}
