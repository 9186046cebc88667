import type { Rule } from "../rule.ts";

/** `super` of object literals and under computed names, which leads to what everything is made from. */
export const superMembers: Rule = {
  id: "eval",
  severity: "low",
  onFile({ interpreter, report }) {
    for (const node of interpreter.program.supers) report("eval", "low", node);
  },
};
