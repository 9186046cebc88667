import { redactElementPairs } from "./element-pairs.ts";
import { redactMnemonics } from "./mnemonic.ts";
import type { KindOf, Report } from "./scan-text.ts";
import { redactTables } from "./tables.ts";

/** Takes out what a text's layout names: cells of tables, elements side by side, the words of a wallet. */
export function redactLayouts(text: string, kindOf: KindOf, report: Report): string {
  return redactMnemonics(
    redactElementPairs(redactTables(text, kindOf, report), kindOf, report),
    report,
  );
}
