import { asText } from "../../interpreter/text/text.ts";
import type { Program } from "../../program/program.ts";
import { MARKUP_KEYS } from "../../program/walk-objects.ts";
import type { RuleContext } from "../rule.ts";

/** The name of a property of an object literal, if that name makes its value markup. */
export function markupKeyOf(
  { interpreter }: RuleContext,
  { node, key: written, scope }: Program["markup"][number],
): string | null {
  const key = written ?? asText(interpreter.evaluate(node.key, scope, null)).value;
  return MARKUP_KEYS.has(key) ? key : null;
}
