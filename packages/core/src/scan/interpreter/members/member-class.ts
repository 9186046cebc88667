import type * as t from "@babel/types";
import { openScope, type Scope } from "../../program/scope.ts";
import { chargeSteps } from "../budget.ts";
import { assignedValue } from "../core/assigned-values.ts";
import type { Interpreter } from "../interpreter.ts";
import { asText } from "../text/text.ts";
import { BEYOND_BUDGET, constant, either, host, UNKNOWN, type Value } from "../value.ts";
import { type ClassMember, shapeOfClass } from "./shape.ts";

/** Methods that every function has; also those of promises, because a promise is treated as its value. */
export const FUNCTION_METHODS = new Set(["call", "apply", "bind", "toString", "then", "catch", "finally"]);

/** A member of a function, of a class itself, or of a method used as a value. */
export function memberOfFunction(interpreter: Interpreter, fn: Value, key: string): Value {
  const node = fn.kind === "function" || fn.kind === "class" ? fn.node : null;
  const written = assignedValue(interpreter, node, key);
  if (written !== null) return written;
  if (key === "constructor") return host("Function");
  if (key === "__proto__") return host("Function.prototype");
  // Properties of the prototype are properties of the instances.
  if (key === "prototype" && (fn.kind === "function" || fn.kind === "class")) {
    return { kind: "instance", of: fn.node, scope: fn.scope };
  }
  if (key === "name")
    return node !== null && "id" in node && node.id?.type === "Identifier" ? constant(node.id.name) : UNKNOWN;
  if (fn.kind === "class") {
    const found = memberOfClass(interpreter, fn.node, key, true, fn.scope);
    if (found !== null) return found;
  }
  return FUNCTION_METHODS.has(key) ? { kind: "method", of: fn, name: key } : UNKNOWN;
}

/** A field, method or getter of a class, or what the file assigns to `this.key` in it. */
export function memberOfClass(
  interpreter: Interpreter,
  node: t.Class,
  key: string,
  isStatic: boolean,
  outer: Scope,
): Value | null {
  const values: Value[] = [];
  const shape = shapeOfClass(interpreter, node);
  const computed: { member: ClassMember }[] = [];
  for (const entry of shape.dynamic) {
    if (!chargeSteps(1)) return BEYOND_BUDGET;
    const { member } = entry;
    if ("key" in member && asText(interpreter.evaluate(member.key, outer, null)).value === key)
      computed.push(entry);
  }
  for (const { member } of [...(shape.named.get(key) ?? []), ...computed]) {
    if (!chargeSteps(1)) return BEYOND_BUDGET;
    if (!("static" in member) || (member.static === true) !== isStatic) continue;
    if (member.type === "ClassMethod" || member.type === "ClassPrivateMethod") {
      const method: Value = { kind: "function", node: member, scope: outer, env: null };
      values.push(member.kind === "get" ? interpreter.follow(method, []) : method);
    } else if ("value" in member && member.value) {
      const scope = openScope(outer);
      scope.self = { kind: isStatic ? "static" : "instance", node };
      values.push(interpreter.evaluate(member.value as t.Node, scope, null));
    }
  }
  const written = assignedValue(interpreter, node, key);
  if (written !== null) values.push(written);
  if (values.length > 0) return either(values);
  if (node.superClass && chargeSteps(1)) {
    const parent = interpreter.evaluate(node.superClass, outer, null);
    if (parent.kind === "class") return memberOfClass(interpreter, parent.node, key, isStatic, parent.scope);
  }
  return null;
}
