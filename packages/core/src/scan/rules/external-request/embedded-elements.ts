import type * as t from "@babel/types";
import { options, type Value } from "../../interpreter/value.ts";
import type { Rule, RuleContext } from "../rule.ts";

/** Elements that load something, or change what other elements load. */
const TAGS = /^(?:object|embed|applet|portal|fencedframe|frameset)$/;
const ELEMENT_FACTORIES = /^(?:createElement(?:NS)?|jsxs?)$/;

/** Elements that load or run other content, and that nobody writes today. */
export const embeddedElements: Rule = {
  id: "external-request",
  severity: "low",
  onJsx({ report }, { node, tag, fromVariable }) {
    if (!fromVariable && TAGS.test(tag)) report("external-request", "low", node);
  },
  calls: (path) => ELEMENT_FACTORIES.test(path.slice(path.lastIndexOf(".") + 1)),
  onCall(context, { args, node }) {
    checkTag(context, args[0], node);
  },
  methods: (name) => ELEMENT_FACTORIES.test(name),
  onMethod(context, { args, node }) {
    checkTag(context, args(3)[0], node);
  },
};

function checkTag({ report }: RuleContext, tag: Value | undefined, node: t.Node): void {
  if (tag === undefined) return;
  if (options(tag).some((one) => one.kind === "constant" && TAGS.test(String(one.value))))
    report("external-request", "low", node);
}
