import type * as t from "@babel/types";
import { CODED, MADE, options, PICKED, REFLECTED, SPENT, type Value } from "../../interpreter/value.ts";
import { nameOfKey } from "../../program/patterns.ts";
import type { Scope } from "../../program/scope.ts";
import { isCoded } from "../common/coded.ts";
import type { Rule, RuleContext } from "../rule.ts";

/** A call of what stays unknown although the file made or picked it: nobody can see what is called. */
export const unknownFunction: Rule = {
  id: "eval",
  severity: "high",
  onCallee(context, { node, callee, scope }) {
    if (callee.kind !== "unknown" && callee.kind !== "either") return;
    checkMade(context, callee, node);
    if (node.type !== "ImportExpression" && isHidden(context, node.callee, callee, scope))
      context.report("eval", "high", node);
  },
  onUnknownCall(context, target, node) {
    // A member of the global object, picked by a name that is not known and handed to what calls it.
    if (target.kind === "unknown" && target.taint & PICKED) context.report("eval", "high", node);
  },
  onTagged(context, { tag, node }) {
    checkMade(context, tag, node);
  },
};

/** `f[k](text)()`: a function made by some member of a function. */
function checkMade({ report }: RuleContext, callee: Value, node: t.Node): void {
  for (const option of options(callee))
    if (option.kind === "unknown" && option.taint & MADE) report("eval", "high", node);
}

/** `window[decode("…")](…)`: a function of the page whose name is hidden, or that was picked out of all. */
function isHidden(context: RuleContext, at: t.Node, callee: Value, scope: Scope): boolean {
  const { interpreter } = context;
  let taint = 0;
  for (const option of options(callee)) if (option.kind === "unknown") taint |= option.taint;
  // What could not be followed to its end may be anything.
  if (callee.kind === "unknown" && taint & SPENT) return true;
  if (taint & PICKED) {
    if (at.type !== "MemberExpression" && at.type !== "OptionalMemberExpression") return true;
    // `window[name].method()` calls a method of what is kept there, but these call that itself.
    if (!at.computed && /^(?:call|apply|bind|value)$/.test(nameOfKey(at.property))) return true;
  }
  if (taint & REFLECTED && !isMethodOf(at, "bind")) return true;
  if ((taint & (CODED | PICKED)) === 0) return false;
  if ((at.type !== "MemberExpression" && at.type !== "OptionalMemberExpression") || !at.computed)
    return false;
  if (at.object.type === "Super") return false;
  // A name in a code hides what it names, whatever has it.
  if (options(interpreter.evaluate(at.property, scope, null)).some(isCoded)) return true;
  const owners = options(interpreter.evaluate(at.object, scope, null));
  // `window[a][b](…)`.
  if (owners.some((owner) => owner.kind === "unknown" && owner.taint & PICKED)) return true;
  return owners.some((owner) => owner.kind === "host");
}

function isMethodOf(at: t.Node, name: string): boolean {
  return at.type === "MemberExpression" && !at.computed && nameOfKey(at.property) === name;
}
