import type * as t from "@babel/types";
import type { Scope } from "../scope.ts";
import { constant, type Value } from "../value.ts";
import type { Expressions } from "./expressions.ts";

/** An element in JSX: its properties are attributes. */
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
  const type =
    name.type === "JSXNamespacedName" ? name.name.name : name.type === "JSXIdentifier" ? name.name : "";
  const isTag = /^[a-z]/.test(type);
  const made = isTag ? constant(type) : run.readName(type, scope);
  const element = run.makeElement(made, props.props.get("type"), node.openingElement);
  run.assignAll(element, props, node.openingElement);
  run.args(node.children, scope);
  return element;
}
