import type * as t from "@babel/types";
import {
  COMPUTED_GLOBAL,
  FUNCTION_MEMBER_RESULT,
  OBFUSCATED,
  OVER_BUDGET,
  options,
  REFLECTED,
  type Value,
} from "../../interpreter/value.ts";
import { nameOfKey } from "../../program/patterns.ts";
import type { Scope } from "../../program/scope.ts";
import { isObfuscated } from "../common/obfuscated.ts";
import type { Rule, RuleContext } from "../rule.ts";

/** A call of a function that the file created or picked, but that stays unknown: nobody can see what is called. */
export const unknownFunction: Rule = {
  id: "eval",
  severity: "high",
  onCallee(context, { node, callee, scope }) {
    if (callee.kind !== "unknown" && callee.kind !== "either") return;
    checkFunctionMemberResult(context, callee, node);
    if (node.type !== "ImportExpression" && isHidden(context, node.callee, callee, scope))
      context.report("eval", "high", node);
  },
  onUnknownCall(context, target, node) {
    // A member of the global object, picked by an unknown name and passed as a callback.
    if (target.kind === "unknown" && target.taint & COMPUTED_GLOBAL) context.report("eval", "high", node);
  },
  onTagged(context, { tag, node }) {
    checkFunctionMemberResult(context, tag, node);
  },
};

/** `f[k](text)()`: a function that some member of a function returned. */
function checkFunctionMemberResult({ report }: RuleContext, callee: Value, node: t.Node): void {
  for (const option of options(callee))
    if (option.kind === "unknown" && option.taint & FUNCTION_MEMBER_RESULT) report("eval", "high", node);
}

/** `window[decode("…")](…)`: a function of the page whose name is hidden, or that was picked from all globals. */
function isHidden(context: RuleContext, at: t.Node, callee: Value, scope: Scope): boolean {
  const { interpreter } = context;
  let taint = 0;
  for (const option of options(callee)) if (option.kind === "unknown") taint |= option.taint;
  // A value whose evaluation ran out of budget may be anything.
  if (callee.kind === "unknown" && taint & OVER_BUDGET) return true;
  if (taint & COMPUTED_GLOBAL) {
    if (at.type !== "MemberExpression" && at.type !== "OptionalMemberExpression") return true;
    // `window[name].method()` calls a method of the picked value, but these methods call the value itself.
    if (!at.computed && /^(?:call|apply|bind|value)$/.test(nameOfKey(at.property))) return true;
  }
  if (taint & REFLECTED && !isMethodOf(at, "bind")) return true;
  if ((taint & (OBFUSCATED | COMPUTED_GLOBAL)) === 0) return false;
  if ((at.type !== "MemberExpression" && at.type !== "OptionalMemberExpression") || !at.computed)
    return false;
  if (at.object.type === "Super") return false;
  // An encoded name hides the member, on any object.
  if (options(interpreter.evaluate(at.property, scope, null)).some(isObfuscated)) return true;
  const owners = options(interpreter.evaluate(at.object, scope, null));
  // `window[a][b](…)`.
  if (owners.some((owner) => owner.kind === "unknown" && owner.taint & COMPUTED_GLOBAL)) return true;
  return owners.some((owner) => owner.kind === "host");
}

function isMethodOf(at: t.Node, name: string): boolean {
  return at.type === "MemberExpression" && !at.computed && nameOfKey(at.property) === name;
}
