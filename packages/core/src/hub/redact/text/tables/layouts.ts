import type { KindOf, Report } from "../../types.ts";
import { redactTables } from "./delimited.ts";
import { redactElementPairs } from "./element-pairs.ts";
import { redactHtmlTables } from "./html.ts";

/** Removes credentials that are named by the layout of a text: cells of tables, neighbouring elements. */
export function redactLayouts(text: string, kindOf: KindOf, report: Report): string {
  const cells = text.includes("\n") ? redactTables(text, kindOf, report) : text;
  if (!cells.includes("</")) return cells;
  const pairs = redactElementPairs(cells, kindOf, report);
  return pairs.includes("<tr") || pairs.includes("<TR") ? redactHtmlTables(pairs, kindOf, report) : pairs;
}
