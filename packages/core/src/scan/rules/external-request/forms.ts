import { asText } from "../../interpreter/text/text.ts";
import { isText, options, type Value } from "../../interpreter/value.ts";
import { reachOf, reachOfText } from "../common/address.ts";
import type { Rule, RuleContext, Write } from "../rule.ts";

const KEYS = new Set(["ping", "action", "formAction", "formaction", "href", "host", "hostname"]);

/** Data that is sent to other hosts by a form, a `ping` or the parts of a URL object. */
export const forms: Rule = {
  id: "external-request",
  severity: "medium",
  properties: (key) => KEYS.has(key),
  onWrite(context, write) {
    checkFormTarget(context, write);
    checkHost(context, write);
  },
  onAttribute(context, { key, value, node }) {
    // An attribute of this name with an address belongs to a form or a link.
    if ((key === "ping" || key === "action" || key === "formaction") && reachOf(value) === "external")
      context.report("external-request", "medium", node);
  },
};

/** A `ping` reports a click to another host; a form with an address of another host sends its fields there. */
function checkFormTarget(context: RuleContext, { owner, key, value, node }: Write): void {
  if (key === "ping" && reachOf(value) === "external") context.report("external-request", "medium", node);
  if (key === "action" || key === "formAction" || key === "formaction") {
    if (isForm(owner, node) && reachOf(value) === "external")
      context.report("external-request", "medium", node);
  }
}

/** A URL object that is set to another host. Its value is its address as text; a plain string has no such properties. */
function checkHost(context: RuleContext, { owner, key, value, node }: Write): void {
  if (key === "href" && isText(owner) && reachOf(value) === "external")
    context.report("external-request", "medium", node);
  if ((key !== "host" && key !== "hostname") || (owner.kind !== "constant" && owner.kind !== "text")) return;
  for (const option of options(value)) {
    if (isText(option) && reachOfText(`//${asText(option).value}`) === "external")
      context.report("external-request", "medium", node);
  }
}

const FORM_ELEMENTS = new Set(["form", "button", "input"]);

/** Whether it is a form that the file creates or finds in the page, or a variable with such a name. */
function isForm(owner: Value, node: Write["node"]): boolean {
  if (owner.kind === "element") return FORM_ELEMENTS.has(owner.tag);
  // An unknown object whose `action` is an address of another host is a form.
  if (owner.kind === "unknown" || owner.kind === "constant") return true;
  if (owner.kind === "host") return owner.path.startsWith("document.forms");
  if (node.type !== "AssignmentExpression" || node.left.type !== "MemberExpression") return false;
  const { object } = node.left;
  return object.type === "Identifier" && /form/i.test(object.name);
}
