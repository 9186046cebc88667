import type * as t from "@babel/types";
import { constant, type Names, type Value } from "../value.ts";
import type { Bindings } from "./bindings.ts";

/** Reads an element in JSX; its properties are attributes. */
export function readElement(run: Bindings, node: t.JSXElement, scope: Names): Value {
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
  for (const child of node.children) run.evaluate(child, scope);
  return element;
}
