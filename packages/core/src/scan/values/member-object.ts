import type { Scope } from "../program/scope.ts";
import { spend } from "./budget.ts";
import { followCall } from "./call.ts";
import { evaluate } from "./evaluate.ts";
import { builtIn, memberOf } from "./member.ts";
import { type ObjectMember, shapeOfObject } from "./shape.ts";
import { asText } from "./text.ts";
import type { Tracer } from "./tracer.ts";
import { either, type Frame, TANGLED, UNKNOWN, type Value } from "./value.ts";
import { writtenTo } from "./written.ts";

/** `{…}.key`: what the literal says, and what the file puts there later. */
export function memberOfObject(
  tracer: Tracer,
  object: Extract<Value, { kind: "object" }>,
  key: string,
): Value {
  const { node } = object;
  // An object that is spread into itself has nothing more to give.
  if (tracer.reading.some((one) => one.node === node && one.key === key)) return UNKNOWN;
  tracer.reading.push({ node, key });
  const written = writtenTo(tracer, node, key);
  const found = propertyOf(tracer, object, key);
  tracer.reading.pop();
  if (found === null) return written ?? builtIn(object, key);
  return written === null ? found : either([found, written]);
}

/** The property in the literal itself or in what is spread into it; the last one counts. */
function propertyOf(tracer: Tracer, object: Extract<Value, { kind: "object" }>, key: string): Value | null {
  const { node, scope, env } = object;
  const shape = shapeOfObject(tracer, node);
  const named = shape.named.get(key)?.at(-1);
  for (let index = shape.dynamic.length - 1; index >= 0; index--) {
    const entry = shape.dynamic[index];
    if (entry === undefined || entry.index < (named?.index ?? -1)) break;
    if (!spend(1)) return TANGLED;
    const { member } = entry;
    if (member.type === "SpreadElement") {
      const spread = evaluate(tracer, member.argument, scope, env);
      if (spread.kind === "unknown") continue;
      const found = memberOf(tracer, spread, key);
      if (found.kind !== "unknown" && found.kind !== "method") return found;
    } else if (asText(evaluate(tracer, member.key, scope, env)).value === key) {
      return valueOfProperty(tracer, member, scope, env);
    }
  }
  return named === undefined ? null : valueOfProperty(tracer, named.member, scope, env);
}

function valueOfProperty(tracer: Tracer, property: ObjectMember, scope: Scope, env: Frame | null): Value {
  if (property.type === "SpreadElement") return UNKNOWN;
  if (property.type === "ObjectProperty") return evaluate(tracer, property.value, scope, env);
  const method: Value = { kind: "function", node: property, scope, env };
  return property.kind === "get" ? followCall(tracer, method, []) : method;
}
