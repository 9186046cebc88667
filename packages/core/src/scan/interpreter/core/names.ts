import { resolve, type Scope, withObjects } from "../../program/scope.ts";
import type { Interpreter } from "../interpreter.ts";
import { isPageObject } from "../members/hosts.ts";
import { constant, either, type Frame, host, UNKNOWN, type Value } from "../value.ts";
import { nameOf } from "./definition.ts";

/** The value of `this` in a scope. */
export function evaluateThis(scope: Scope): Value {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const { self } = at;
    if (self === null) continue;
    switch (self.kind) {
      case "top":
        return host("");
      case "instance":
        return { kind: "instance", of: self.node, scope: at };
      case "static":
        return { kind: "class", node: self.node, scope: at, env: null };
      case "object":
        return { kind: "object", node: self.node, scope: at.parent ?? at, env: null };
      case "function":
        return { kind: "receiver", of: self.node };
    }
  }
  return UNKNOWN;
}

/** The value of a name in a scope: a name of the file or of the page. */
export function evaluateName(interpreter: Interpreter, name: string, scope: Scope, env: Frame | null): Value {
  const binding = resolve(scope, name);
  let value: Value;
  if (binding !== null) value = nameOf(interpreter, binding, env);
  else if (name === "undefined") return constant(undefined);
  else if (name === "NaN") return constant(Number.NaN);
  else if (name === "Infinity") return constant(Number.POSITIVE_INFINITY);
  else if (name === "arguments") return argumentsOf(interpreter, scope, env);
  else value = interpreter.members(host(""), constant(name));
  if (!interpreter.program.hasWith) return value;
  for (const { node, scope: outer } of withObjects(scope, binding?.scope ?? null)) {
    const object = interpreter.expressions.get(node) ?? interpreter.evaluate(node, outer, env);
    if (env === null) interpreter.expressions.set(node, object);
    if (object.kind === "unknown" || (object.kind === "host" && !isPageObject(object.path))) continue;
    value = either([interpreter.members(object, constant(name)), value]);
  }
  return value;
}

function argumentsOf(interpreter: Interpreter, scope: Scope, env: Frame | null): Value {
  for (let at: Scope | null = scope; at !== null; at = at.parent) {
    const { fn } = at;
    if (fn === null || fn.type === "ArrowFunctionExpression") continue;
    const items = [0, 1, 2, 3].map((index) =>
      interpreter.definition({ how: "parameter", fn, index, rest: false }, env),
    );
    return { kind: "list", items, node: null };
  }
  return UNKNOWN;
}
