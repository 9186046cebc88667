import { callValue } from "./call.ts";
import { memberOf } from "./member.ts";
import type { Tracer } from "./tracer.ts";
import { constant, type Value } from "./value.ts";

/** The text that an object of the file with a `toString` of its own, or what comes before that, turns into. */
export function printed(tracer: Tracer, value: Value): Value {
  if (value.kind !== "object" && value.kind !== "instance") return value;
  for (const name of ["@@Symbol.toPrimitive", "toString"]) {
    const method = memberOf(tracer, value, name);
    if (method.kind === "function") return callValue(tracer, method, () => [constant("string")]);
  }
  return value;
}

/** What iterating over an object of the file gives, where it has an iterator of its own. */
export function iterated(tracer: Tracer, value: Value): Value {
  if (value.kind !== "object" && value.kind !== "instance") return value;
  const iterator = memberOf(tracer, value, "@@Symbol.iterator");
  const items = iterator.kind === "function" ? callValue(tracer, iterator, () => []) : value;
  return items.kind === "list" ? items : value;
}
