import { isCredentialCell } from "../../evidence/cell.ts";
import { REDACTED } from "../../evidence/credential-value.ts";
import type { Column, KindOf, Report } from "../../types.ts";

/** The longest line that may be a head, and the longest row. */
const HEAD = 1000;
const ROW = 16_384;
/** Characters of code, markup and sentences that are not in the head of a table. */
const NO_NAME = new Uint8Array(128);
for (const char of "(){}=<>[]$!?\\@:+%&^~") NO_NAME[char.charCodeAt(0)] = 1;
/** Separators of cells; when a line has several of them, the last one here counts. */
const SEPARATOR = new Uint8Array(128);
for (const [i, char] of [",", ";", "|", "\t"].entries()) SEPARATOR[char.charCodeAt(0)] = i + 1;
const SEPARATORS = ["", ",", ";", "|", "\t"] as const;
const NAME = /^[\p{L}_#][\p{L}\p{N}_ ./#-]{0,40}$/u;
/** The line below the head of a table in Markdown. */
const RULER = /^[ \t]{0,8}\|?[ \t]{0,4}:?-{1,80}[|: \t-]{0,400}\r?$/;

interface Cell {
  start: number;
  end: number;
}

/**
 * Removes credentials from tables in text: lines of cells between commas, semicolons, tabs or bars, under a line of names,
 * one of which is the name of a credential. Each line is read once.
 */
export function redactTables(text: string, kindOf: KindOf, report: Report): string {
  let end = text.indexOf("\n");
  let out = "";
  let kept = 0;
  for (let start = 0; end >= 0; start = end + 1, end = text.indexOf("\n", start)) {
    if (end - start < 5 || end - start > HEAD) continue;
    const separator = separatorOf(text, start, end);
    if (separator === "") continue;
    const columns = columnsOf(text.slice(start, end).trimEnd(), separator, kindOf);
    if (columns === null) continue;
    for (let row = end + 1; row < text.length; row = end + 1) {
      let next = text.indexOf("\n", row);
      if (next < 0) next = text.length;
      if (next - row > ROW) break;
      if (separator === "|" && RULER.test(text.slice(row, Math.min(next, row + 500)))) {
        end = next;
        continue;
      }
      const cells = cellsOf(text, row, next, separator);
      if (cells.length !== columns.length) break;
      for (const [i, { start, end }] of cells.entries()) {
        const { kind, name } = columns[i] as Column;
        if (!isCredentialCell(kind, name, text.slice(start, end))) continue;
        report("credential-name");
        out += text.slice(kept, start) + REDACTED;
        kept = end;
      }
      end = next;
    }
  }
  return kept === 0 ? text : out + text.slice(kept);
}

/** The separator of the cells of a line that may be a head; empty when it is not a head. */
function separatorOf(text: string, start: number, end: number): string {
  let found = 0;
  let last = 0;
  for (let i = start; i < end; i++) {
    const c = text.charCodeAt(i);
    if (c > 32) last = c;
    if (c >= 128) continue;
    if (NO_NAME[c] === 1) return "";
    const separator = SEPARATOR[c] as number;
    if (separator > found) found = separator;
    // The first name of a head is short.
    else if (found === 0 && i - start > 60) return "";
  }
  // A list with a name on each line is not a table.
  return found < 3 && (last === 44 || last === 59) ? "" : (SEPARATORS[found] as string);
}

function columnsOf(line: string, separator: string, kindOf: KindOf): Column[] | null {
  let named = false;
  const columns: Column[] = [];
  for (const { start, end } of cellsOf(line, 0, line.length, separator)) {
    const name = line.slice(start, end);
    if (name !== "" && (!NAME.test(name) || name.split(" ").length > 4)) return null;
    const kind = name === "" ? "none" : kindOf(name);
    named ||= kind !== "none";
    columns.push({ name, kind });
  }
  return named && columns.filter(({ name }) => name !== "").length > 1 ? columns : null;
}

/** The cells of a line, without the spaces, quotes and marks around them. */
function cellsOf(text: string, from: number, to: number, separator: string): Cell[] {
  let start = from;
  let end = to;
  while (start < end && isSpace(text.charCodeAt(start), separator)) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1), separator)) end--;
  if (separator === "|" && text[start] === "|") start++;
  if (separator === "|" && end > start && text[end - 1] === "|") end--;
  const cells: Cell[] = [];
  while (start <= end) {
    let at = start;
    while (at < end && text.charCodeAt(at) === 32) at++;
    const quote = text.charCodeAt(at);
    let close = at;
    if (quote === 34 || quote === 39) {
      close = text.indexOf(text[at] as string, at + 1);
      if (close < 0 || close >= end) close = at;
    }
    let next = text.indexOf(separator, close);
    if (next < 0 || next > end) next = end;
    cells.push(bare(text, start, next));
    start = next + 1;
  }
  return cells;
}

function bare(text: string, from: number, to: number): Cell {
  let start = from;
  let end = to;
  while (start < end && MARKS.includes(text[start] as string)) start++;
  while (end > start && MARKS.includes(text[end - 1] as string)) end--;
  return { start, end };
}

const MARKS = " \t\r\"'`*";

function isSpace(c: number, separator: string): boolean {
  return c === 32 || c === 13 || (c === 9 && separator !== "\t");
}
