import type { Rule } from "../rule.ts";

/** `super` in object literals and with computed names, which reaches the built-in prototypes. */
export const superMembers: Rule = {
  id: "eval",
  severity: "low",
  onFile({ interpreter, report }) {
    for (const node of interpreter.program.supers) report("eval", "low", node);
  },
};
