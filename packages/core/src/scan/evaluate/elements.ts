import type * as t from "@babel/types";
import type { Scope } from "../scope.ts";
import { constant, type Value } from "../value.ts";
import type { Expressions } from "./expressions.ts";

/** An element in JSX; a component of the file is called with its properties. */
export function readElement(run: Expressions, node: t.JSXElement, scope: Scope): Value {
  const { name, attributes } = node.openingElement;
  const props = run.object();
  const given = attributes.map((attribute): Value => {
    if (attribute.type === "JSXSpreadAttribute") return run.evaluate(attribute.argument, scope);
    const { name, value } = attribute;
    const key = name.type === "JSXIdentifier" ? name.name : `${name.namespace.name}:${name.name.name}`;
    return run.object([[key, value == null ? constant(true) : run.evaluate(value, scope)]]);
  });
  for (const one of given) run.assignAll(props, one, null);
  const type = typeOf(run, name, scope);
  const element = run.makeElement(type, props.props.get("type"), node.openingElement);
  for (const [at, attribute] of attributes.entries()) run.assignAll(element, given[at], attribute);
  for (const child of node.children) props.props.set("children", run.evaluate(child, scope));
  run.callComponent(type, props, node.openingElement);
  return element;
}

function typeOf(run: Expressions, name: t.JSXOpeningElement["name"], scope: Scope, isOwner = false): Value {
  if (name.type === "JSXNamespacedName") return constant(name.name.name);
  if (name.type === "JSXMemberExpression")
    return run.member(typeOf(run, name.object, scope, true), name.property.name);
  return !isOwner && /^[a-z]/.test(name.name) ? constant(name.name) : run.readName(name.name, scope);
}
