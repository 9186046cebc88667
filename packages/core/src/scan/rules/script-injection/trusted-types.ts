import type * as t from "@babel/types";
import { constant, options, type Value } from "../../interpreter/value.ts";
import type { Rule, RuleContext } from "../rule.ts";

/** A Trusted Types policy that passes everything unchanged. */
export const trustedTypes: Rule = {
  id: "script-injection",
  severity: "low",
  calls: (path) => path === "trustedTypes.createPolicy",
  onCall(context, { args, node }) {
    checkPolicy(context, args[1], node);
  },
};

const POLICY_METHODS = ["createHTML", "createScript", "createScriptURL"];

/** `trustedTypes.createPolicy(name, { createHTML: (text) => text })`: the unsafe text passes unchanged. */
function checkPolicy(context: RuleContext, rules: Value | undefined, node: t.Node): void {
  if (rules === undefined) return;
  const given = "<a policy>";
  for (const option of options(rules)) {
    if (option.kind !== "object" && option.kind !== "record") continue;
    for (const name of POLICY_METHODS) {
      const made = context.interpreter.member(option, name);
      const passed = context.interpreter.call(made, () => [constant(given)]);
      const returned = options(passed).some((one) => one.kind === "constant" && one.value === given);
      if (made.kind === "function" ? returned : made.kind === "host" && made.path === "String")
        context.report("script-injection", "low", node);
    }
  }
}
