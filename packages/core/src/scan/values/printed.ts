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
