import { asText } from "../../interpreter/text/text.ts";
import { isText, options, type Value } from "../../interpreter/value.ts";
import type { Rule } from "../rule.ts";

const OWNERS = /^(?:navigator|location|history|document)$/;

/** Methods that only listen: components pick one to start or to stop listening. */
const LISTENING = new Set(["addEventListener", "removeEventListener"]);

/** `navigator[verb](…)`, for any verb. */
export const computedPageMembers: Rule = {
  id: "external-request",
  severity: "low",
  onCallee({ interpreter, report }, { node, scope }) {
    if (node.type === "ImportExpression") return;
    const { callee } = node;
    if (callee.type !== "MemberExpression" && callee.type !== "OptionalMemberExpression") return;
    if (!callee.computed || callee.object.type === "Super") return;
    const owner = options(interpreter.evaluate(callee.object, scope, null));
    if (owner.some((one) => one.kind === "host" && OWNERS.test(one.path)))
      if (!options(interpreter.evaluate(callee.property, scope, null)).every(isListening))
        report("external-request", "low", node);
  },
};

function isListening(key: Value): boolean {
  return isText(key) && LISTENING.has(asText(key).value);
}
