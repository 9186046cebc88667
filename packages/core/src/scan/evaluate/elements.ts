import type * as t from "@babel/types";
import type { Scope } from "../scope.ts";
import { constant, type Value } from "../value.ts";
import type { Expressions } from "./expressions.ts";

/** An element in JSX; a component of the file is called with its properties. */
export function readElement(run: Expressions, node: t.JSXElement, scope: Scope): Value {
  const opening = node.openingElement;
  const type = typeOf(run, opening.name, scope);
  const element = run.makeElement(type, null, opening);
  const props = run.object();
  for (const attribute of opening.attributes) {
    let given: Value;
    if (attribute.type === "JSXSpreadAttribute") given = run.evaluate(attribute.argument, scope);
    else {
      const { name, value } = attribute;
      const key = name.type === "JSXIdentifier" ? name.name : `${name.namespace.name}:${name.name.name}`;
      given = run.object([[key, value == null ? constant(true) : run.evaluate(value, scope)]]);
    }
    run.assignAll(element, given, attribute);
    run.assignAll(props, given, null);
  }
  for (const child of node.children) props.props.set("children", run.evaluate(child, scope));
  run.callComponent(type, props, opening);
  return element;
}

function typeOf(run: Expressions, name: t.JSXOpeningElement["name"], scope: Scope, isOwner = false): Value {
  if (name.type === "JSXNamespacedName") return constant(name.name.name);
  if (name.type === "JSXMemberExpression")
    return run.member(typeOf(run, name.object, scope, true), name.property.name);
  return !isOwner && /^[a-z]/.test(name.name) ? constant(name.name) : run.readName(name.name, scope);
}
