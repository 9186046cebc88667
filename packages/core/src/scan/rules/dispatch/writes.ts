import type * as t from "@babel/types";
import { asText } from "../../interpreter/text/text.ts";
import { host, options, UNKNOWN, type Value } from "../../interpreter/value.ts";
import { nameOfKey } from "../../program/patterns.ts";
import type { MemberWrite, NameWrite } from "../../program/program.ts";
import { resolve, withObjects } from "../../program/scope.ts";
import type { RuleContext } from "../rule.ts";
import { recordElementWrite } from "./elements.ts";

/** `object.key = value`, also inside a destructuring. */
export function onMemberWrite(context: RuleContext, write: MemberWrite): void {
  const { interpreter, rules } = context;
  const { target, value, scope, node } = write;
  if (target.object.type === "Super") return;
  const keys = target.computed
    ? options(interpreter.evaluate(target.property, scope, null)).map((option) => asText(option).value)
    : [nameOfKey(target.property)];
  const owner = interpreter.evaluate(target.object, scope, null);
  const written = { write, owner, keys };
  for (const rule of rules.having.onMemberWrite) rule.onMemberWrite?.(context, written);
  onAttributeNode(context, write, keys);
  const made = options(owner).some(({ kind }) => kind === "element");
  const names = made ? keys : keys.filter((key) => rules.propertiesOf(key, owner).length > 0);
  if (names.length === 0) return;
  const held = interpreter.definition(value, null);
  for (const name of names) onWrite(context, owner, name, held, node);
}

const ATTRIBUTE_VALUES = new Set(["value", "nodeValue", "textContent"]);

/** `x.attributes.onclick.value = …`: a write to the attribute of that name. */
function onAttributeNode(context: RuleContext, write: MemberWrite, keys: readonly string[]): void {
  const { interpreter } = context;
  const { target, value, scope, node } = write;
  const { object } = target;
  if (object.type !== "MemberExpression" || !keys.some((key) => ATTRIBUTE_VALUES.has(key))) return;
  const outer = object.object;
  if (outer.type !== "MemberExpression" || outer.computed || nameOfKey(outer.property) !== "attributes")
    return;
  const name = object.computed
    ? asText(interpreter.evaluate(object.property, scope, null)).value
    : nameOfKey(object.property);
  const key = /^\d|\uE000/.test(name) ? "href" : name;
  onWrite(context, UNKNOWN, key, interpreter.definition(value, null), node);
}

/** `name = value` where the name may be a global of the page. */
export function onNameWrite(context: RuleContext, { name, value, scope, node }: NameWrite): void {
  const { interpreter } = context;
  const binding = resolve(scope, name);
  if (binding === null) onWrite(context, host(""), name, interpreter.definition(value, null), node);
  if (!interpreter.program.hasWith) return;
  for (const { node: object, scope: outer } of withObjects(scope, binding?.scope ?? null)) {
    const owner = interpreter.evaluate(object, outer, null);
    onWrite(context, owner, name, interpreter.definition(value, null), node);
  }
}

/** A write of a value to a property, in any form. */
export function onWrite(
  context: RuleContext,
  owner: Value,
  key: string,
  value: Value,
  node: t.Node,
  byFunction = false,
): void {
  for (const option of options(owner))
    if (option.kind === "element") recordElementWrite(context, option, key, value);
  const looking = context.rules.propertiesOf(key, owner);
  if (looking.length === 0) return;
  for (const option of options(owner)) {
    const write = { owner: option, key, value, node, byFunction };
    for (const rule of looking) rule.onWrite?.(context, write);
  }
}
