import type * as t from "@babel/types";
import { asText } from "../../interpreter/text/text.ts";
import { options, type Value } from "../../interpreter/value.ts";
import { nameOfKey } from "../../program/patterns.ts";
import { type Reach, reachOf } from "../common/address.ts";
import { expressionText } from "../common/expression-text.ts";
import type { JsxElement, MethodCall, Rule, RuleContext } from "../rule.ts";
import { OWN_WINDOWS } from "./windows.ts";

const METHODS = new Set(["click", "submit", "requestSubmit", "dispatchEvent"]);
const LEAVING = new Set<Reach>(["external", "code", "hidden"]);

/** A link or form that the file points elsewhere and clicks or submits itself. */
export const programmaticSubmit: Rule = {
  id: "redirect",
  severity: "medium",
  methods: (name) => METHODS.has(name),
  onMethod: checkClick,
  properties: (key) => key === "action" || key === "href",
  onWrite(context, { key, node, value }) {
    rememberForm(context, key as "action" | "href", node, value);
  },
  onAttribute(context, { key, value, node }) {
    if (key === "action") rememberForm(context, key, node, value);
  },
  onJsx(context, element) {
    if (element.tag === "a" || element.tag === "area") checkLink(context, element);
    else if (element.tag === "form") rememberReference(context, element);
  },
  onEnd({ collected, report }) {
    if (collected.links.length > 0 && collected.clicks.length > 0)
      for (const node of collected.links) report("redirect", "medium", node);
  },
};

/** Records a form or a link that is set to an address which is not the page's own. */
function rememberForm(context: RuleContext, key: "action" | "href", node: t.Node, address: Value): void {
  const reach = reachOf(address);
  // Links with unknown addresses are clicked to save a file.
  if (key === "href" && (reach === "unknown" || reach === "blob" || reach === "data")) return;
  if (reach === "same-site" || reach === "same-document") return;
  const written =
    node.type === "AssignmentExpression" && node.left.type === "MemberExpression"
      ? expressionText(context, node.left.object)
      : node.type === "CallExpression" &&
          node.callee.type === "MemberExpression" &&
          nameOfKey(node.callee.property).startsWith("setAttribute")
        ? expressionText(context, node.callee.object)
        : null;
  if (key === "action") context.forms.add(written ?? "?");
  else if (written !== null) context.forms.add(`${written}.href`);
}

/** `querySelector("a")` and similar calls, where the file has a link that points elsewhere. */
function findsLink({ forms }: RuleContext, object: t.Node): boolean {
  if (object.type !== "CallExpression" && object.type !== "OptionalCallExpression") return false;
  const [first] = object.arguments;
  if (first?.type !== "StringLiteral" || !("property" in object.callee)) return false;
  const selector = nameOfKey(object.callee.property).endsWith("ById") ? `#${first.value}` : first.value;
  if (forms.has(selector)) return true;
  return forms.has("<a>") && /(?:^|[\s>+~,])a(?:[.#[:][^\s>+~]*)?$/i.test(selector.trim());
}

/** Reports a form or link whose address the file set, and that it submits or clicks. */
function checkSubmit(context: RuleContext, name: string, node: t.Node): void {
  if (context.forms.size === 0) return;
  const callee =
    node.type === "CallExpression" || node.type === "OptionalCallExpression" ? node.callee : null;
  const object =
    callee?.type === "MemberExpression" || callee?.type === "OptionalMemberExpression" ? callee.object : null;
  const viaFunctionMethod =
    callee !== null && "property" in callee && /^(?:call|apply)$/.test(nameOfKey(callee.property));
  const written = object === null || viaFunctionMethod ? null : expressionText(context, object);
  if (name === "click" || name === "dispatchEvent") {
    if (object !== null && findsLink(context, object)) context.report("redirect", "medium", node);
    if (written !== null && context.forms.has(`${written}.href`)) context.report("redirect", "medium", node);
    return;
  }
  if (
    context.forms.has("?") ||
    written === null ||
    context.forms.has(written) ||
    (name === "submit" && context.forms.has(`${written}.submit`))
  )
    context.report("redirect", "medium", node);
}

/** Whether a link with an unknown address opens in the page's own window, with no sign that it saves a file. */
function opensInOwnWindow(context: RuleContext, link: Value, address: Value | undefined): boolean {
  if (address === undefined || !options(address).some(({ kind }) => kind === "unknown")) return false;
  const held = context.interpreter.elementWrites.get(link);
  if (held?.has("download") === true) return false;
  const target = held?.get("target");
  return target === undefined
    ? false
    : options(target).some((option) => OWN_WINDOWS.test(asText(option).value));
}

/** Reports a link or form that the file creates itself, points outside and clicks or submits. */
function checkClick(context: RuleContext, { name: called, receiver, node }: MethodCall): void {
  // A click is the only useful event to dispatch to a link.
  const name = called === "dispatchEvent" ? "click" : called;
  checkSubmit(context, called, node);
  if (name === "click" && options(receiver).some(({ kind }) => kind !== "element"))
    context.collected.clicks.push(node);
  for (const option of options(receiver)) {
    if (option.kind !== "element") continue;
    const address = context.interpreter.elementWrites.get(option)?.get(name === "click" ? "href" : "action");
    const reach = address === undefined ? "unknown" : reachOf(address);
    if (LEAVING.has(reach) || opensInOwnWindow(context, option, address))
      context.report("redirect", "medium", node);
    if (name !== "click" && reach === "external") context.report("external-request", "medium", node);
  }
}

/** Records a form with an address and a `ref`, by which it may be submitted. */
function rememberReference(context: RuleContext, { attribute, valueAt }: JsxElement): void {
  const [ref, action] = [attribute("ref"), attribute("action")];
  if (ref?.value?.type !== "JSXExpressionContainer" || action?.value?.type !== "JSXExpressionContainer")
    return;
  const value = valueAt(action);
  const reach = reachOf(value);
  // React calls an `action` that is a function; `submit()` does not reach it.
  if (
    reach === "same-site" ||
    reach === "same-document" ||
    options(value).some(({ kind }) => kind === "function")
  )
    return;
  const written = expressionText(context, ref.value.expression);
  if (written !== null) context.forms.add(`${written}.current.submit`);
}

/** A click from code on an element that the file looks up. */
const CLICKS = /(?:querySelector|getElement)[\s\S]{0,200}(?:click|dispatchEvent)/;

/** Characters of a function that are searched for a click. */
const REF = 400;

/** `<a href="https://…" ref={(a) => a?.click()} />`: a link that clicks itself, or one that is clicked elsewhere. */
function checkLink(context: RuleContext, { node, attribute, valueAt }: JsxElement): void {
  const { source, forms, collected, report } = context;
  const [ref, href, download] = [attribute("ref"), attribute("href"), attribute("download")];
  // Checked only in files that click elements from code.
  if (href?.value?.type === "JSXExpressionContainer" && download === undefined && CLICKS.test(source)) {
    const reach = reachOf(valueAt(href));
    if (reach === "unknown" || LEAVING.has(reach)) {
      forms.add("<a>");
      const id = attribute("id");
      if (id?.value?.type === "StringLiteral") forms.add(`#${id.value.value}`);
    }
  }
  if (ref?.value?.type !== "JSXExpressionContainer" || href === undefined) return;
  const reach = reachOf(valueAt(href));
  const { expression } = ref.value;
  if (download === undefined && LEAVING.has(reach)) {
    collected.links.push(node);
    if (expression.type === "Identifier") forms.add(`${expression.name}.current.href`);
  }
  const { start, end } = expression;
  const text = source.slice(start ?? 0, Math.min(end ?? 0, (start ?? 0) + REF));
  if (!text.includes("=>") || !/\bclick\b/.test(text)) return;
  if (reach !== "same-site" && reach !== "same-document" && reach !== "blob" && reach !== "data")
    report("redirect", "medium", node);
}
