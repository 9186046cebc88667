import type * as t from "@babel/types";
import type { Scope } from "../scope.ts";
import { constant, type Value } from "../value.ts";
import type { Expressions } from "./expressions.ts";

/** An element in JSX; a component of the file is called with its properties. */
export function readElement(run: Expressions, node: t.JSXElement, scope: Scope): Value {
  const { name, attributes } = node.openingElement;
  const props = run.object();
  for (const attribute of attributes) {
    if (attribute.type === "JSXSpreadAttribute")
      run.assignAll(props, run.evaluate(attribute.argument, scope), null);
    else {
      const { name, value } = attribute;
      const key = name.type === "JSXIdentifier" ? name.name : `${name.namespace.name}:${name.name.name}`;
      props.props.set(key, value == null ? constant(true) : run.evaluate(value, scope));
    }
  }
  const type = typeOf(run, name, scope);
  const element = run.makeElement(type, props.props.get("type"), node.openingElement);
  run.assignAll(element, props, node.openingElement);
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
