import { pay } from "../../interpreter/budget.ts";
import { asText } from "../../interpreter/text/text.ts";
import { HOLE, isGlobalObject, options } from "../../interpreter/value.ts";
import type { Rule, RuleContext } from "../rule.ts";

/** `globalThis[name]`: a member of the page under a name that does not stand there, whatever becomes of it. */
export const pickedGlobal: Rule = {
  id: "eval",
  severity: "low",
  onFile(context) {
    const { interpreter } = context;
    context.each(interpreter.program.mentions, ({ node, scope }) => {
      if ((node.type !== "MemberExpression" && node.type !== "OptionalMemberExpression") || !node.computed)
        return;
      if (node.property.type === "StringLiteral" || node.object.type === "Super") return;
      if (!options(interpreter.evaluate(node.object, scope, null)).some(isGlobalObject)) return;
      const names = options(interpreter.evaluate(node.property, scope, null)).map(
        (name) => asText(name).value,
      );
      const made = node.property.type === "CallExpression" && names.some((name) => name.includes(HOLE));
      // A name that the file computes is one that the file hides.
      const called = CALLED.test(context.source.slice(node.end ?? 0, (node.end ?? 0) + READ));
      if (made || (called && names.some((name) => !name.includes(HOLE) && !isWritten(context, name))))
        context.report("eval", "low", node);
    });
  },
};

const CALLED = /^[\s)!]*(?:\(|\?\.\(|`)/;
/** How much of what stands behind a member is read. */
const READ = 20;

function isWritten({ source }: RuleContext, name: string): boolean {
  return pay(source.length >> 2) && source.includes(name);
}
