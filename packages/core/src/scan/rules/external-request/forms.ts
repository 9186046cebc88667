import { asText } from "../../interpreter/text/text.ts";
import { isText, options, type Value } from "../../interpreter/value.ts";
import { reachOf, reachOfText } from "../common/address.ts";
import type { Rule, RuleContext, Write } from "../rule.ts";

const KEYS = new Set(["ping", "action", "formAction", "formaction", "href", "host", "hostname"]);

/** Other hosts that are told something by a form, a `ping` or the parts of a URL object. */
export const forms: Rule = {
  id: "external-request",
  severity: "medium",
  properties: (key) => KEYS.has(key),
  onWrite(context, write) {
    checkTold(context, write);
    checkHost(context, write);
  },
  onAttribute(context, { key, value, node }) {
    // A name that is set as an attribute of an address is one of a form or a link.
    if ((key === "ping" || key === "action" || key === "formaction") && reachOf(value) === "external")
      context.report("external-request", "medium", node);
  },
};

/** A `ping` tells another host of a click; a form of another host gets what is written into it. */
function checkTold(context: RuleContext, { owner, key, value, node }: Write): void {
  if (key === "ping" && reachOf(value) === "external") context.report("external-request", "medium", node);
  if (key === "action" || key === "formAction" || key === "formaction") {
    if (isForm(owner, node) && reachOf(value) === "external")
      context.report("external-request", "medium", node);
  }
}

/** A URL object of another host; it stands for its address, which a text has no such parts of. */
function checkHost(context: RuleContext, { owner, key, value, node }: Write): void {
  if (key === "href" && isText(owner) && reachOf(value) === "external")
    context.report("external-request", "medium", node);
  if ((key !== "host" && key !== "hostname") || (owner.kind !== "constant" && owner.kind !== "text")) return;
  for (const option of options(value)) {
    if (isText(option) && reachOfText(`//${asText(option).value}`) === "external")
      context.report("external-request", "medium", node);
  }
}

const POSTING = new Set(["form", "button", "input"]);

/** A form that the file makes or finds among the page's, or a name that says so. */
function isForm(owner: Value, node: Write["node"]): boolean {
  if (owner.kind === "element") return POSTING.has(owner.tag);
  // What else would be given an `action` that is an address of another host?
  if (owner.kind === "unknown" || owner.kind === "constant") return true;
  if (owner.kind === "host") return owner.path.startsWith("document.forms");
  if (node.type !== "AssignmentExpression" || node.left.type !== "MemberExpression") return false;
  const { object } = node.left;
  return object.type === "Identifier" && /form/i.test(object.name);
}
