import type { Interpreter } from "../interpreter.ts";
import { constant, type Value } from "../value.ts";

/** The string that an object of the file converts to by its own `Symbol.toPrimitive` or `toString`. */
export function toPrimitive(interpreter: Interpreter, value: Value): Value {
  if (value.kind !== "object" && value.kind !== "instance") return value;
  for (const name of ["@@Symbol.toPrimitive", "toString"]) {
    const method = interpreter.member(value, name);
    if (method.kind === "function") return interpreter.call(method, () => [constant("string")]);
  }
  return value;
}

/** The items of an object of the file that has its own iterator. */
export function toIterable(interpreter: Interpreter, value: Value): Value {
  if (value.kind !== "object" && value.kind !== "instance") return value;
  const iterator = interpreter.member(value, "@@Symbol.iterator");
  const items = iterator.kind === "function" ? interpreter.call(iterator, () => []) : value;
  return items.kind === "list" ? items : value;
}
