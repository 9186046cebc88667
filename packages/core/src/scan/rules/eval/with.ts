import type { Rule } from "../rule.ts";

/** `with (object)`, which changes what names mean. */
export const withStatement: Rule = {
  id: "eval",
  severity: "low",
  onFile({ interpreter, source, reportText }) {
    if (!interpreter.program.hasWith) return;
    const at = Math.max(0, source.search(/\bwith\s*\(/));
    reportText("eval", "low", at, at + 4);
  },
};
