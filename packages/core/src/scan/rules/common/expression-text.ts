import type * as t from "@babel/types";
import type { RuleContext } from "../rule.ts";

/** Longer expressions are not distinguished. */
const MAX_LENGTH = 120;

/** The source text of an object, by which the same object is recognized elsewhere; null for a long expression. */
export function expressionText({ source }: RuleContext, { start, end }: t.Node): string | null {
  const text = source.slice(start ?? 0, end ?? 0);
  return text.length > MAX_LENGTH ? null : text.replace(/[\s?!]/g, "");
}
