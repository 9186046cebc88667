import type * as t from "@babel/types";
import type { Evaluator } from "./evaluator.ts";
import type { Scope } from "./scope.ts";
import { constant, knownText, options, type Record_, UNDEFINED, type Value } from "./value.ts";

/** An element of a type that is a tag's name or a component; its properties are written to it. */
export function makeElement(evaluator: Evaluator, type: Value, given: Value | null, node: t.Node): Value {
  const element: Value = { kind: "element", tag: null, props: new Map() };
  for (const option of options(type)) {
    const tag = knownText(option);
    if (tag === null) continue;
    element.tag = tag.replace(/^.*:/, "").toLowerCase();
    evaluator.act({ kind: "element", tag: element.tag, node });
  }
  for (const props of given === null ? [] : options(given))
    if (props.kind === "object") {
      for (const [name, value] of props.props) evaluator.write(element, name, value, node, true);
      for (const option of options(type)) callComponent(evaluator, option, props, node);
    }
  return element;
}

/** An element in JSX; a component of the file is called with its properties. */
export function readElement(evaluator: Evaluator, node: t.JSXElement, scope: Scope): Value {
  const { name, attributes } = node.openingElement;
  const type = typeOf(evaluator, name, scope);
  const element = makeElement(evaluator, type, null, node.openingElement);
  const props: Record_ = { kind: "object", props: new Map(), of: null, context: evaluator.context };
  for (const attribute of attributes) {
    if (attribute.type === "JSXSpreadAttribute") {
      for (const of of options(evaluator.evaluate(attribute.argument, scope)))
        if (of.kind === "object")
          for (const [key, value] of of.props) {
            props.props.set(key, value);
            evaluator.write(element, key, value, attribute, true);
          }
      continue;
    }
    const { name } = attribute;
    const key = name.type === "JSXIdentifier" ? name.name : `${name.namespace.name}:${name.name.name}`;
    const value = attribute.value == null ? constant(true) : evaluator.evaluate(attribute.value, scope);
    props.props.set(key, value);
    evaluator.write(element, key, value, attribute, true);
  }
  const children = node.children.map((child) => evaluator.evaluate(child, scope));
  if (children.length === 1 && children[0] !== undefined) props.props.set("children", children[0]);
  for (const option of options(type)) callComponent(evaluator, option, props, node.openingElement);
  return element;
}

/** Calls a component of the file, if one of the properties could matter to it. */
function callComponent(evaluator: Evaluator, type: Value, props: Record_, node: t.Node): void {
  if (type.kind !== "function" || type.node.type.startsWith("Class")) return;
  const matters = [...props.props.values()].some(({ kind }) => kind !== "unknown" && kind !== "element");
  if (matters) evaluator.call(type, UNDEFINED, [props], node);
}

function typeOf(evaluator: Evaluator, name: t.JSXOpeningElement["name"], scope: Scope): Value {
  if (name.type === "JSXNamespacedName") return constant(name.name.name);
  if (name.type === "JSXMemberExpression")
    return evaluator.member(ownerOf(evaluator, name.object, scope), name.property.name);
  return /^[a-z]/.test(name.name) ? constant(name.name) : evaluator.readName(name.name, scope);
}

function ownerOf(evaluator: Evaluator, name: t.JSXMemberExpression["object"], scope: Scope): Value {
  return name.type === "JSXIdentifier"
    ? evaluator.readName(name.name, scope)
    : evaluator.member(ownerOf(evaluator, name.object, scope), name.property.name);
}
