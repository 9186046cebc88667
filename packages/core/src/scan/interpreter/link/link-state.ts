import type * as t from "@babel/types";
import { nameOfKey } from "../../program/patterns.ts";
import type { Call } from "../../program/program.ts";
import { type Definition, resolve, type Scope } from "../../program/scope.ts";
import type { Interpreter } from "../interpreter.ts";
import { isExternalUrl } from "../members/jsx-values.ts";
import { asText } from "../text/text.ts";
import { isText, options } from "../value.ts";

/** `setUrl("https://…")` adds a value to the state of `useState`, and `this.setState({…})` to that of a class. */
export function linkState(interpreter: Interpreter, node: Call, scope: Scope): void {
  if (node.type !== "CallExpression") return;
  const { callee } = node;
  const [given] = node.arguments;
  if (given === undefined) return;
  if (callee.type === "Identifier") {
    if (callee.name.startsWith("set")) linkSetter(interpreter, callee.name, given, scope);
  } else if (
    callee.type === "MemberExpression" &&
    callee.object.type === "ThisExpression" &&
    nameOfKey(callee.property) === "setState"
  ) {
    const made = given.type === "ArrowFunctionExpression" ? given.body : given;
    if (made.type !== "ObjectExpression") return;
    for (const owner of options(interpreter.evaluate(callee.object, scope, null))) {
      if (owner.kind !== "instance") continue;
      const known = interpreter.properties.get(owner.of) ?? new Map<string, Definition[]>();
      known.set("state", [...(known.get("state") ?? []), { how: "value", node: made, scope }]);
      interpreter.properties.set(owner.of, known);
    }
  }
}

function linkSetter(interpreter: Interpreter, name: string, given: t.Node, scope: Scope): void {
  const setter = resolve(scope, name);
  const [only, ...others] = setter?.definitions ?? [];
  if (setter === null || only?.how !== "item" || only.index !== 1 || others.length > 0) return;
  const { from } = only;
  if (from.how !== "value" || from.node.type !== "CallExpression") return;
  const hook = from.node.callee;
  if (nameOfKey(hook.type === "MemberExpression" ? hook.property : hook) !== "useState") return;
  // Only a URL of another host says more than the initial state.
  const told = options(interpreter.evaluate(given, scope, null)).some(
    (one) => isText(one) && isExternalUrl(asText(one).value),
  );
  if (!told) return;
  for (const binding of setter.scope.names?.values() ?? []) {
    const [first] = binding.definitions;
    if (first?.how === "item" && first.index === 0 && first.from === from)
      binding.definitions.push({ how: "value", node: given, scope });
  }
}
