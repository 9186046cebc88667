import { HOLE } from "../../interpreter/value.ts";
import type { Rule } from "../rule.ts";

const MARKUP = /^(?:inner|outer|src)|HTML$|doc$/;

/** `` el[`inner${…}`] = … ``, which may be markup. */
export const partialMarkupKeys: Rule = {
  id: "script-injection",
  severity: "low",
  onMemberWrite({ report }, { write: { target, node }, keys }) {
    const { type } = target.property;
    if (!target.computed || type === "StringLiteral" || type === "NumericLiteral") return;
    if (keys.some((key) => key.includes(HOLE) && MARKUP.test(key))) report("script-injection", "low", node);
  },
};
