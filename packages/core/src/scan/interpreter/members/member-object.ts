import type { Scope } from "../../program/scope.ts";
import { chargeSteps } from "../budget.ts";
import { assignedValue } from "../core/assigned-values.ts";
import type { Interpreter } from "../interpreter.ts";
import { asText } from "../text/text.ts";
import { BEYOND_BUDGET, either, type Frame, UNKNOWN, type Value } from "../value.ts";
import { builtIn } from "./built-in.ts";
import { type ObjectMember, shapeOfObject } from "./shape.ts";

/** `{…}.key`: the value in the literal, and the values that the file assigns later. */
export function memberOfObject(
  interpreter: Interpreter,
  object: Extract<Value, { kind: "object" }>,
  key: string,
): Value {
  const { node } = object;
  // An object that is spread into itself adds nothing.
  if (interpreter.reading.some((one) => one.node === node && one.key === key)) return UNKNOWN;
  interpreter.reading.push({ node, key });
  const written = assignedValue(interpreter, node, key);
  const found = propertyOf(interpreter, object, key);
  interpreter.reading.pop();
  if (found === null) return written ?? builtIn(object, key);
  return written === null ? found : either([found, written]);
}

/** The property in the literal itself or in an object spread into it; the last one wins. */
function propertyOf(
  interpreter: Interpreter,
  object: Extract<Value, { kind: "object" }>,
  key: string,
): Value | null {
  const { node, scope, env } = object;
  const shape = shapeOfObject(interpreter, node);
  const named = shape.named.get(key)?.at(-1);
  for (let index = shape.dynamic.length - 1; index >= 0; index--) {
    const entry = shape.dynamic[index];
    if (entry === undefined || entry.index < (named?.index ?? -1)) break;
    if (!chargeSteps(1)) return BEYOND_BUDGET;
    const { member } = entry;
    if (member.type === "SpreadElement") {
      const spread = interpreter.evaluate(member.argument, scope, env);
      if (spread.kind === "unknown") continue;
      const found = interpreter.member(spread, key);
      if (found.kind !== "unknown" && found.kind !== "method") return found;
    } else if (asText(interpreter.evaluate(member.key, scope, env)).value === key) {
      return valueOfProperty(interpreter, member, scope, env);
    }
  }
  return named === undefined ? null : valueOfProperty(interpreter, named.member, scope, env);
}

function valueOfProperty(
  interpreter: Interpreter,
  property: ObjectMember,
  scope: Scope,
  env: Frame | null,
): Value {
  if (property.type === "SpreadElement") return UNKNOWN;
  if (property.type === "ObjectProperty") return interpreter.evaluate(property.value, scope, env);
  const method: Value = { kind: "function", node: property, scope, env };
  return property.kind === "get" ? interpreter.follow(method, []) : method;
}
