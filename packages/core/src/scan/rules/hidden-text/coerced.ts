import type { Rule } from "../rule.ts";

/** Strings built from values that are not strings, such as `![] + ""`: useful only for their letters. */
export const coerced: Rule = {
  id: "hidden-text",
  severity: "medium",
  onFile({ interpreter, report }) {
    for (const node of interpreter.program.coerced) report("hidden-text", "medium", node);
  },
};
