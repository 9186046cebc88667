import type { Rule } from "../rule.ts";

/** Texts made of what is none, such as `![] + ""`, of which only letters are of use. */
export const coerced: Rule = {
  id: "hidden-text",
  severity: "medium",
  onFile({ interpreter, report }) {
    for (const node of interpreter.program.coerced) report("hidden-text", "medium", node);
  },
};
