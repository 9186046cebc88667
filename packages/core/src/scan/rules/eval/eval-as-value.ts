import { asText } from "../../interpreter/text/text.ts";
import { options } from "../../interpreter/value.ts";
import { checkComputedKey } from "../hidden-text/computed-keys.ts";
import type { Rule } from "../rule.ts";

const EVALS = new Set(["eval", "execScript"]);

/** `eval` that is not called but passed on, and `x["constructor"]`. */
export const evalAsValue: Rule = {
  id: "eval",
  severity: "high",
  onFile(context) {
    const { interpreter } = context;
    context.each(interpreter.program.evalReferences, ({ node, scope }) => {
      if ((node.type === "MemberExpression" || node.type === "OptionalMemberExpression") && node.computed) {
        // Under any other key, the file itself stored it there, in a location that mentions it too.
        const key = options(interpreter.evaluate(node.property, scope, null));
        // The only reason to write `x["constructor"]` is to reach `Function`.
        if (key.some((option) => option.kind === "constant" && option.value === "constructor"))
          context.report("eval", "high", node);
        checkComputedKey(context, node, key);
        if (!key.some((option) => EVALS.has(asText(option).value))) return;
      }
      for (const value of options(interpreter.evaluate(node, scope, null)))
        if (value.kind === "host" && EVALS.has(value.path)) context.report("eval", "high", node);
    });
  },
};
