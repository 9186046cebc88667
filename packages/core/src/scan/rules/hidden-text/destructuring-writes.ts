import type * as t from "@babel/types";
import type { Rule } from "../rule.ts";

/** `[x.href] = [address]`, `({ to: x.href } = route)`: destructuring that writes to a property. */
export const destructuringWrites: Rule = {
  id: "hidden-text",
  severity: "low",
  onMemberWrite({ report }, { write }) {
    const { target, node } = write;
    if (node.type !== "AssignmentExpression" || node.left === target || target.computed) return;
    if (node.left.type !== "ArrayPattern" && node.left.type !== "ObjectPattern") return;
    // An object sets its own properties, or two properties swap their values.
    if (target.object.type === "ThisExpression" || isSwap(node.right)) return;
    report("hidden-text", "low", node);
  },
};

function isSwap(right: t.Expression): boolean {
  return (
    right.type === "ArrayExpression" &&
    right.elements.length > 1 &&
    right.elements.every((one) => one?.type === "MemberExpression")
  );
}
