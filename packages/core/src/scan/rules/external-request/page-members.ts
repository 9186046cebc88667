import { options } from "../../interpreter/value.ts";
import type { Rule } from "../rule.ts";

const OWNERS = /^(?:navigator|location|history|document)$/;

/** `navigator[verb](…)`, whatever the verb is. */
export const pageMembers: Rule = {
  id: "external-request",
  severity: "low",
  onCallee({ interpreter, report }, { node, scope }) {
    if (node.type === "ImportExpression") return;
    const { callee } = node;
    if (callee.type !== "MemberExpression" && callee.type !== "OptionalMemberExpression") return;
    if (!callee.computed || callee.object.type === "Super") return;
    const owner = options(interpreter.evaluate(callee.object, scope, null));
    if (owner.some((one) => one.kind === "host" && OWNERS.test(one.path)))
      report("external-request", "low", node);
  },
};
