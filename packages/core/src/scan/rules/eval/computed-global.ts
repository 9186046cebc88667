import { charge } from "../../interpreter/budget.ts";
import { asText } from "../../interpreter/text/text.ts";
import { HOLE, isGlobalObject, options } from "../../interpreter/value.ts";
import type { Rule, RuleContext } from "../rule.ts";

/** `globalThis[name]`: a global of the page under a name that is not literal, whatever its use. */
export const computedGlobal: Rule = {
  id: "eval",
  severity: "low",
  onFile(context) {
    const { interpreter } = context;
    context.each(interpreter.program.evalReferences, ({ node, scope }) => {
      if ((node.type !== "MemberExpression" && node.type !== "OptionalMemberExpression") || !node.computed)
        return;
      if (node.property.type === "StringLiteral" || node.object.type === "Super") return;
      if (!options(interpreter.evaluate(node.object, scope, null)).some(isGlobalObject)) return;
      const names = options(interpreter.evaluate(node.property, scope, null)).map(
        (name) => asText(name).value,
      );
      const made = node.property.type === "CallExpression" && names.some((name) => name.includes(HOLE));
      // A computed name that the source does not contain is hidden.
      const called = CALLED.test(context.source.slice(node.end ?? 0, (node.end ?? 0) + CONTEXT_LENGTH));
      if (made || (called && names.some((name) => !name.includes(HOLE) && !isWritten(context, name))))
        context.report("eval", "low", node);
    });
  },
};

const CALLED = /^[\s)!]*(?:\(|\?\.\(|`)/;
/** Characters after a member that are read. */
const CONTEXT_LENGTH = 20;

function isWritten({ source }: RuleContext, name: string): boolean {
  return charge(source.length >> 2) && source.includes(name);
}
