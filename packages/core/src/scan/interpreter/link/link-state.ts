import type * as t from "@babel/types";
import { nameOfKey } from "../../program/patterns.ts";
import type { Call } from "../../program/program.ts";
import { type Definition, resolve, type Scope } from "../../program/scope.ts";
import type { Interpreter } from "../interpreter.ts";
import { asText } from "../text/text.ts";
import { constant, isText, options } from "../value.ts";

/** The paths under which `data-…` attributes and texts of the file are stored. Reading them from an unknown element gives these. */
export const ATTRIBUTES = "@@dataset";
export const TEXTS = "@@text";

/** Addresses of other hosts. */
const ADDRESS = /^\s*(?:[a-z][a-z\d+.-]*:)?[\\/]{2}\S/i;

/** Notes what elements of the file hold in `data-…` and which addresses are their text. */
export function linkShown(interpreter: Interpreter): void {
  const { jsx, texts } = interpreter.program;
  const note = (path: string, value: Definition) => {
    interpreter.shown = true;
    const known = interpreter.hostWrites.get(path);
    if (known === undefined) interpreter.hostWrites.set(path, [value]);
    else known.push(value);
  };
  for (const { value } of texts)
    if (ADDRESS.test(value)) note(TEXTS, { how: "given", value: constant(value.trim()) });
  for (const { node, scope } of jsx) {
    for (const attribute of node.attributes) {
      if (attribute.type !== "JSXAttribute" || attribute.name.type !== "JSXIdentifier") continue;
      const { name } = attribute.name;
      if (!name.startsWith("data-") || !attribute.value) continue;
      const held =
        attribute.value.type === "JSXExpressionContainer" ? attribute.value.expression : attribute.value;
      if (held.type === "JSXEmptyExpression") continue;
      const key = name.slice(5).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
      note(`${ATTRIBUTES}.${key}`, { how: "value", node: held, scope });
    }
  }
}

/** `setUrl("https://…")` gives what `useState` gave first another value, and `this.setState({…})` the state. */
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
  // Only an address of another host tells more than what the state begins with.
  const told = options(interpreter.evaluate(given, scope, null)).some(
    (one) => isText(one) && ADDRESS.test(asText(one).value),
  );
  if (!told) return;
  for (const binding of setter.scope.names?.values() ?? []) {
    const [first] = binding.definitions;
    if (first?.how === "item" && first.index === 0 && first.from === from)
      binding.definitions.push({ how: "value", node: given, scope });
  }
}
