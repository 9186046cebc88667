import { namesOf } from "../../interpreter/members/objects.ts";
import { asText } from "../../interpreter/text/text.ts";
import { isText, options, type Value } from "../../interpreter/value.ts";
import type { Rule } from "../rule.ts";

const EQUIVALENT = /^http-?equiv$/i;

/** `<meta http-equiv="refresh">`, in any form. */
export const refresh: Rule = {
  id: "redirect",
  severity: "medium",
  properties: (key) => EQUIVALENT.test(key),
  onWrite(context, { key, value, node }) {
    if (isRefresh(key, value)) context.report("redirect", "medium", node);
  },
  onAttribute(context, { key, value, node }) {
    if (isRefresh(key, value)) context.report("redirect", "medium", node);
  },
  onJsx(context, { node, tag, scope, valueAt }) {
    if (tag !== "meta") return;
    for (const attribute of node.attributes) {
      if (attribute.type === "JSXAttribute") {
        if (attribute.name.type === "JSXIdentifier" && isRefresh(attribute.name.name, valueAt(attribute)))
          context.report("redirect", "medium", node);
        continue;
      }
      for (const option of options(context.interpreter.evaluate(attribute.argument, scope, null)))
        for (const key of namesOf(context.interpreter, option))
          if (isRefresh(key, context.interpreter.member(option, key)))
            context.report("redirect", "medium", attribute);
    }
  },
  onProp(context, { key, value, node }) {
    if (isRefresh(key, value)) context.report("redirect", "medium", node);
  },
};

/** Whether a property makes a `<meta>` load another page. */
function isRefresh(key: string, value: Value): boolean {
  if (!EQUIVALENT.test(key)) return false;
  return options(value).some((option) => isText(option) && /^refresh$/i.test(asText(option).value));
}
