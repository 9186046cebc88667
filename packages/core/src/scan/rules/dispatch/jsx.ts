import type * as t from "@babel/types";
import { nameOf } from "../../interpreter/core/definition.ts";
import { namesOf } from "../../interpreter/members/objects.ts";
import { asText } from "../../interpreter/text/text.ts";
import { constant, isText, options, UNKNOWN, type Value } from "../../interpreter/value.ts";
import { nameOfKey } from "../../program/patterns.ts";
import { resolve, type Scope } from "../../program/scope.ts";
import type { JsxElement, RuleContext } from "../rule.ts";
import { dispatchCallback } from "./host-calls.ts";

/** A JSX element. */
export function onElement(context: RuleContext, node: t.JSXOpeningElement, scope: Scope): void {
  if (node.name.type === "JSXMemberExpression") {
    onMemberTag(context, node, node.name, scope);
    return;
  }
  if (node.name.type !== "JSXIdentifier") return;
  const tag = node.name.name;
  if (/^[a-z]/.test(tag)) onTag(context, elementOf(context, node, tag, scope));
  // A component of the file's own or of a library decides itself what its properties mean.
  else onComponent(context, node, node.name, scope);
}

function elementOf(
  context: RuleContext,
  node: t.JSXOpeningElement,
  tag: string,
  scope: Scope,
  fromVariable = false,
): JsxElement {
  const { interpreter } = context;
  const attribute = (name: string) =>
    node.attributes.find(
      (one): one is t.JSXAttribute => one.type === "JSXAttribute" && one.name.name === name,
    );
  const valueAt = (one: t.JSXAttribute) => attributeValue(context, one, scope);
  const lookup = (name: string) => {
    const written = attribute(name);
    if (written !== undefined) return valueAt(written);
    for (const spread of node.attributes) {
      if (spread.type !== "JSXSpreadAttribute") continue;
      for (const option of options(interpreter.evaluate(spread.argument, scope, null)))
        if (namesOf(interpreter, option).includes(name)) return interpreter.member(option, name);
    }
    return undefined;
  };
  return { node, tag, fromVariable, scope, lookup, attribute, valueAt };
}

function onTag(context: RuleContext, element: JsxElement): void {
  const { node, tag, scope } = element;
  for (const attribute of node.attributes) {
    if (attribute.type === "JSXSpreadAttribute") {
      onSpread(context, tag, attribute, scope);
      continue;
    }
    if (!attribute.value) continue;
    const name = nameOfAttribute(attribute);
    if (!isHandler(name) && context.rules.attributesOf(name).length === 0) continue;
    const { value } = attribute;
    if (value.type === "JSXExpressionContainer" && value.expression.type.endsWith("FunctionExpression"))
      continue;
    onAttribute(context, tag, name, attributeValue(context, attribute, scope), attribute);
  }
  for (const rule of context.rules.having.onJsx) rule.onJsx?.(context, element);
}

/** `<a {...{ href }} />`: the properties of a spread object. */
function onSpread(context: RuleContext, tag: string, node: t.JSXSpreadAttribute, scope: Scope): void {
  const { interpreter, rules } = context;
  // Markup in an object is reported where the object is written.
  for (const option of options(interpreter.evaluate(node.argument, scope, null)))
    for (const key of namesOf(interpreter, option))
      if (key !== "dangerouslySetInnerHTML" && (isHandler(key) || rules.attributesOf(key).length > 0))
        onAttribute(context, tag, key, interpreter.member(option, key), node);
}

function onAttribute(
  context: RuleContext,
  tag: string,
  name: string,
  value: Value,
  node: t.JSXAttribute | t.JSXSpreadAttribute,
): void {
  const attribute = { tag, name, value, node };
  for (const rule of context.rules.attributesOf(name)) rule.onJsxAttribute?.(context, attribute);
  if (isHandler(name) && value.kind !== "unknown" && value.kind !== "function")
    dispatchCallback(context, value, [UNKNOWN], node);
}

const HANDLER = /^on[a-z]/i;

/** Whether an attribute is an event handler; the first letter rules out most names. */
function isHandler(name: string): boolean {
  return (name.charCodeAt(0) | 32) === 111 && HANDLER.test(name);
}

/** Elements that load, link to or run something; they are checked also where a variable of the file is their tag. */
const ACTIVE = new Set(
  "script a area base button embed form frame iframe image img input link meta object source track use video".split(
    " ",
  ),
);

/** `const Tag = "script"; <Tag />`. */
function onComponent(
  context: RuleContext,
  node: t.JSXOpeningElement,
  { name }: t.JSXIdentifier,
  scope: Scope,
): void {
  const element = elementOf(context, node, name, scope);
  for (const rule of context.rules.having.onComponent) rule.onComponent?.(context, element);
  const binding = resolve(scope, name);
  if (binding === null || binding.definitions.every(({ how }) => how === "import")) return;
  for (const option of options(nameOf(context.interpreter, binding, null)))
    onTagText(context, node, option, scope);
}

function onTagText(context: RuleContext, node: t.JSXOpeningElement, option: Value, scope: Scope): void {
  if (!isText(option)) return;
  const tag = asText(option).value.toLowerCase();
  if (ACTIVE.has(tag)) onTag(context, elementOf(context, node, tag, scope, true));
}

/** `const tags = { run: "script" }; <tags.run />`. */
function onMemberTag(
  context: RuleContext,
  node: t.JSXOpeningElement,
  name: t.JSXMemberExpression,
  scope: Scope,
): void {
  if (name.object.type !== "JSXIdentifier") return;
  const binding = resolve(scope, name.object.name);
  if (binding === null || binding.definitions.every(({ how }) => how === "import")) return;
  for (const owner of options(nameOf(context.interpreter, binding, null))) {
    if (owner.kind !== "object" && owner.kind !== "record") continue;
    for (const option of options(context.interpreter.member(owner, name.property.name)))
      onTagText(context, node, option, scope);
  }
}

export function nameOfAttribute({ name }: t.JSXAttribute): string {
  return name.type === "JSXIdentifier" ? name.name : `${name.namespace.name}:${nameOfKey(name.name)}`;
}

function attributeValue(context: RuleContext, { value }: t.JSXAttribute, scope: Scope): Value {
  if (!value) return constant(true);
  const node = value.type === "JSXExpressionContainer" ? value.expression : value;
  return context.interpreter.evaluate(node, scope, null);
}
