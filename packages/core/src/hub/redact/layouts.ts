import { redactElementPairs } from "./element-pairs.ts";
import type { KindOf, Report } from "./scan-text.ts";
import { redactTables } from "./tables.ts";

/** Takes out what a text's layout names: cells of tables, elements side by side. */
export function redactLayouts(text: string, kindOf: KindOf, report: Report): string {
  const cells = text.includes("\n") ? redactTables(text, kindOf, report) : text;
  return cells.includes("</") ? redactElementPairs(cells, kindOf, report) : cells;
}
