import type * as t from "@babel/types";
import { asText, taintOf } from "../../interpreter/text/text.ts";
import { isText, OBFUSCATED, options, UNKNOWN, type Value } from "../../interpreter/value.ts";
import { isElementFactory } from "../common/element-factories.ts";
import { tagsOf } from "../common/html.ts";
import { isData } from "../common/tags.ts";
import type { Rule, RuleContext } from "../rule.ts";

const GET_SCRIPT = /^(?:\$|jQuery|npm:jquery)\.getScript$/;

/** Script elements: `createElement("script")` in the DOM, React and compiled JSX, `<script>`, and `html` templates. */
export const scriptElements: Rule = {
  id: "script-injection",
  severity: "high",
  calls: (path) => isElementFactory(path.slice(path.lastIndexOf(".") + 1)) || GET_SCRIPT.test(path),
  onCall(context, { path, args, node }) {
    if (GET_SCRIPT.test(path)) context.report("script-injection", "high", node);
    else checkScriptElement(context, args, node);
  },
  methods: isElementFactory,
  onMethod(context, { args, node }) {
    checkScriptElement(context, args(3), node);
  },
  onJsx(context, { node, tag, fromVariable, attribute, valueAt }) {
    if (tag !== "script") return;
    const type = attribute("type");
    if (fromVariable || type === undefined || !isData(asText(valueAt(type)).value))
      context.report("script-injection", "high", node);
  },
  onTagged(context, { node }) {
    if (node.tag.type !== "Identifier" || (node.tag.name !== "html" && node.tag.name !== "svg")) return;
    const text = node.quasi.quasis.map((quasi) => quasi.value.cooked ?? "").join(" ");
    if (!/<script[\s/>]/i.test(text)) return;
    // The library of the template binds the handlers in it itself.
    for (const tag of tagsOf(text))
      if (tag.name === "script" && !isData(tag.attributes.get("type")))
        context.report("script-injection", "high", node);
  },
};

/** `createElement("script")`, unless the script is data. */
function checkScriptElement(context: RuleContext, args: readonly Value[], node: t.Node): void {
  // createElementNS takes the namespace first.
  for (const [index, arg] of args.slice(0, 2).entries()) {
    for (const option of options(arg)) {
      if (index === 0 && option.kind !== "constant" && taintOf(option) & OBFUSCATED)
        context.report("script-injection", "high", node);
      if (!isText(option) || !/^(?:svg:|html:)?script$/i.test(asText(option).value.trim())) continue;
      const props = args[index + 1];
      const type =
        props === undefined
          ? undefined
          : context.interpreter.member(props.kind === "either" ? UNKNOWN : props, "type");
      if (type?.kind === "constant" && isData(String(type.value))) continue;
      context.report("script-injection", "high", node);
    }
  }
}
