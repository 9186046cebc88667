import type * as t from "@babel/types";
import type { Scope } from "../../program/scope.ts";
import type { Rule, RuleContext } from "../rule.ts";

/** `{...Object.fromEntries([[key, value]])}`: attributes whose names are built from data. */
export const entries: Rule = {
  id: "hidden-text",
  severity: "low",
  onFile(context) {
    for (const { node, scope } of context.interpreter.program.spreads)
      if (isFromEntries(context, node, scope)) context.report("hidden-text", "low", node);
  },
};

/** Whether it is `Object.fromEntries` that neither filters the entries of an object nor names `data-…` attributes. */
function isFromEntries(context: RuleContext, node: t.Node, scope: Scope): boolean {
  let at = node;
  if (at.type === "Identifier") {
    for (let from: Scope | null = scope; from !== null; from = from.parent) {
      const [only] = from.names?.get(at.name)?.definitions ?? [];
      if (only === undefined) continue;
      if (only.how === "value") at = only.node;
      break;
    }
  }
  const text = context.source.slice(at.start ?? 0, Math.min(at.end ?? 0, (at.start ?? 0) + 400));
  return (
    /^(?:\w+\.)?(?:useMemo\(\s*\(\)\s*=>\s*)?Object\.fromEntries\(/.test(text) &&
    !/Object\.(?:entries|keys)|data-|aria-/.test(text)
  );
}
