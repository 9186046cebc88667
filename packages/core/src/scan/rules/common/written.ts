import type * as t from "@babel/types";
import type { RuleContext } from "../rule.ts";

/** Longer expressions are not told apart. */
const WRITTEN = 120;

/** How an object is written, so that the same one is known elsewhere; null for a long expression. */
export function writtenAs({ source }: RuleContext, { start, end }: t.Node): string | null {
  const text = source.slice(start ?? 0, end ?? 0);
  return text.length > WRITTEN ? null : text.replace(/[\s?!]/g, "");
}
