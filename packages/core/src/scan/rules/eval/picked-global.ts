import { asText } from "../../interpreter/text/text.ts";
import { HOLE, isGlobalObject, options } from "../../interpreter/value.ts";
import type { Rule } from "../rule.ts";

/** `globalThis[name.replace(…)]`: a member of the page under a name that a call makes, whatever becomes of it. */
export const pickedGlobal: Rule = {
  id: "eval",
  severity: "low",
  onFile(context) {
    const { interpreter } = context;
    context.each(interpreter.program.mentions, ({ node, scope }) => {
      if ((node.type !== "MemberExpression" && node.type !== "OptionalMemberExpression") || !node.computed)
        return;
      if (node.property.type !== "CallExpression" || node.object.type === "Super") return;
      if (!options(interpreter.evaluate(node.object, scope, null)).some(isGlobalObject)) return;
      const names = options(interpreter.evaluate(node.property, scope, null));
      if (names.some((name) => asText(name).value.includes(HOLE))) context.report("eval", "low", node);
    });
  },
};
