import type { Value } from "../../interpreter/value.ts";
import type { Member } from "../../program/program.ts";
import { RARE_NAMES } from "../../program/rare-names.ts";
import type { RuleContext } from "../rule.ts";
import { isConcatenatedName } from "./split-names.ts";

/** Reports `x[key]` where the key is a rare name, but not a literal. */
export function checkComputedKey(context: RuleContext, node: Member, key: readonly Value[]): void {
  if (node.property.type === "StringLiteral") return;
  for (const option of key) {
    if (option.kind !== "constant" || typeof option.value !== "string") continue;
    const rare = RARE_NAMES.get(option.value);
    if (rare !== undefined && /[mkKswc]/.test(rare.at)) context.report(rare.rule, rare.severity, node);
    else if (isConcatenatedName(context, node.property, option.value))
      context.report("hidden-text", "medium", node);
  }
}
