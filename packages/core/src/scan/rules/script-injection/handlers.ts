import type * as t from "@babel/types";
import { asText } from "../../interpreter/text/text.ts";
import { HOLE, isText, options, UNKNOWN, type Value } from "../../interpreter/value.ts";
import { reachOfText } from "../common/address.ts";
import { checkLink, isLink } from "../common/links.ts";
import { isObfuscated } from "../common/obfuscated.ts";
import type { Rule, RuleContext } from "../rule.ts";

/** The name of an event handler, also if only its beginning is known. */
const HANDLER = new RegExp(`^on[a-z]*(?:[a-z]|${HOLE}.*)$`);
const PLAIN = /^on[a-z]+$/;
const JSX = /^on[a-z]/i;
const CALLING = /\w\s*\(/;
/** Attributes of an SVG animation with the values that it sets. */
const ANIMATED = new Set(["values", "to", "from", "by"]);

/** Event handlers as strings, and script links, that are set as a property or an attribute. */
export const handlers: Rule = {
  id: "script-injection",
  severity: "high",
  properties: (key) => PLAIN.test(key) || isLink(key) || key === "text" || key === "textContent",
  onWrite(context, { owner, key, value, node }) {
    if (PLAIN.test(key)) {
      if (options(value).some((option) => isText(option) && !isData(node, asText(option).value)))
        context.report("script-injection", "high", node);
    } else if (owner.kind === "host" && /^document\.(?:scripts\b|currentScript$)/.test(owner.path)) {
      if (key === "text" || key === "textContent" || key === "src")
        context.report("script-injection", "high", node);
    } else if (isLink(key) && (owner.kind !== "host" || !/^(?:$|location)/.test(owner.path)))
      checkLink(context, value, node);
  },
  onMemberWrite(context, { write }) {
    const { target, scope, node } = write;
    if (!target.computed) return;
    if (options(context.interpreter.evaluate(target.property, scope, null)).some(isObfuscated))
      context.report("script-injection", "medium", node);
  },
  onAttribute(context, { key, value, node }) {
    checkAttribute(context, key, value, node);
  },
  methods: (name) => name === "createAttribute" || name === "createAttributeNS",
  onMethod(context, { name, args, node }) {
    const key = args()[name === "createAttribute" ? 0 : 1] ?? UNKNOWN;
    if (options(key).some((option) => /^on[a-z]+$/i.test(asText(option).value)))
      context.report("script-injection", "high", node);
  },
  attributes: (name) => JSX.test(name) || isLink(name) || ANIMATED.has(name),
  onJsxAttribute(context, { tag, name, value, node }) {
    if (JSX.test(name)) {
      // A custom element may take a string under such a name, but hardly one with a call in it.
      const own = tag.includes("-");
      const scripted = options(value).some(
        (one) => isText(one) && (own ? CALLING : /\S/).test(asText(one).value),
      );
      if (scripted) context.report("script-injection", "high", node);
    } else if (ANIMATED.has(name)) {
      if ((tag === "animate" || tag === "set") && options(value).some(isScripted))
        context.report("script-injection", "high", node);
    } else if (isLink(name)) checkLink(context, value, node);
  },
  onProp(context, { key, value, node }) {
    if (isLink(key)) checkLink(context, value, node);
    else if (PLAIN.test(key)) checkAttribute(context, key, value, node);
  },
};

/** Strings that are no handler: empty, or words for `data-…` attributes. Words alone do nothing as a handler either. */
function isData(node: t.Node, text: string): boolean {
  if (text === "") return true;
  if (node.type !== "AssignmentExpression" || node.left.type !== "MemberExpression") return false;
  const { object } = node.left;
  const isDataset =
    (object.type === "MemberExpression" || object.type === "OptionalMemberExpression") &&
    object.property.type === "Identifier" &&
    !object.computed &&
    object.property.name === "dataset";
  return isDataset && /^[\w -]+$/.test(text);
}

/** Whether one of the values of an animation is a script. */
function isScripted(value: Value): boolean {
  return asText(value)
    .value.split(";")
    .some((piece) => reachOfText(piece) === "code");
}

function checkAttribute(context: RuleContext, name: string, value: Value, node: t.Node): void {
  if (name === HOLE) {
    // The unknown name may be that of a handler.
    if (options(value).some(({ kind }) => kind === "unknown"))
      context.report("script-injection", "low", node);
  } else if (!HANDLER.test(name)) {
    if (isLink(name)) checkLink(context, value, node);
  }
  // Removing a handler, or passing a function to a framework, inserts no script into the page.
  else if (!options(value).every((option) => option.kind === "function" || asText(option).value === ""))
    context.report("script-injection", "high", node);
}
