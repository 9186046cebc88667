import { options } from "../../interpreter/value.ts";
import { nameOfKey } from "../../program/patterns.ts";
import type { Rule } from "../rule.ts";

/** Elements that load or change what others load. */
const TAGS = /^(?:object|embed|applet|portal|fencedframe|frameset)$/;
const MAKERS = /^(?:createElement(?:NS)?|jsxs?)$/;

/** Elements that run or load other things, and that nobody writes today. */
export const embedded: Rule = {
  id: "external-request",
  severity: "low",
  onJsx({ report }, { node, tag, kept }) {
    if (!kept && TAGS.test(tag)) report("external-request", "low", node);
  },
  onCallee({ interpreter, report }, { node, scope }) {
    if (node.type === "ImportExpression") return;
    const { callee } = node;
    const name = callee.type === "MemberExpression" ? nameOfKey(callee.property) : nameOfKey(callee);
    const [first] = node.arguments;
    if (first === undefined || !MAKERS.test(name)) return;
    const tags = options(interpreter.evaluate(first, scope, null));
    if (tags.some((one) => one.kind === "constant" && TAGS.test(String(one.value))))
      report("external-request", "low", node);
  },
};
