import { isCredentialCell } from "../../evidence/cell.ts";
import { REDACTED } from "../../evidence/credential-value.ts";
import type { Column, KindOf, Report } from "../../types.ts";

/** The tags that make a table, and the single word of a cell, possibly inside another tag. */
const TAG = /<(table|\/table|tr|th|td)(?:\s[^<>]{0,200})?>/gi;
const WORDS = /\s{0,40}(?:<[A-Za-z][^<>]{0,120}>\s{0,40}){0,3}([^<>]{1,400})<\//dy;
const NAME = /^[\p{L}_#][\p{L}\p{N}_ ./#-]{0,40}$/u;
/** Removes credentials from tables in HTML: the cells below a name of a credential in the head. */
export function redactHtmlTables(text: string, kindOf: KindOf, report: Report): string {
  let out = "";
  let kept = 0;
  /** The head of the table, and whether it is read to its end. Only a first row, or one of `<th>`, is a head. */
  let columns: Column[] | null = null;
  let rows = 0;
  let whole = false;
  let cell = 0;
  for (const match of text.matchAll(TAG)) {
    const tag = (match[1] as string).toLowerCase();
    if (tag.endsWith("table")) {
      columns = null;
      rows = 0;
    } else if (tag === "tr") {
      whole = columns?.some(({ kind }) => kind !== "none") === true;
      if (!whole) columns = [];
      cell = 0;
      rows++;
    } else if (!whole && tag === "td" && rows > 1) {
      columns = null;
    } else if (columns !== null) {
      const column = whole ? columns[cell++] : undefined;
      WORDS.lastIndex = match.index + match[0].length;
      const found = WORDS.exec(text);
      const words = found?.[1]?.trim() ?? "";
      if (!whole) {
        columns.push({ name: words, kind: NAME.test(words) ? kindOf(words) : "none" });
      } else if (column !== undefined && isCredentialCell(column.kind, column.name, words)) {
        const start = text.indexOf(words, found?.indices?.[1]?.[0]);
        report("credential-name");
        out += text.slice(kept, start) + REDACTED;
        kept = start + words.length;
      }
    }
  }
  return kept === 0 ? text : out + text.slice(kept);
}
