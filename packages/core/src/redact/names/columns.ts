import { isCredentialCell } from "../evidence/cell.ts";
import type { Column, KindOf, NameKind } from "../types.ts";

const HEADS =
  /^(?:columns?|column_?names?|cols|headers?|head|heading|fields?|field_?names?|schema|keys|names|titles?)$/i;
const MOST = 200;

/** The columns that the first of several lists names: `[["user", "password"], ["bob", "…"]]`. */
export function columnsOfFirst(rows: readonly unknown[], kindOf: KindOf): Column[] | null {
  return rows.length > 1 && Array.isArray(rows[0]) ? columnsOf(rows[0], kindOf) : null;
}

/** The columns that another member of the object names: `{columns: ["user", "password"], data: [["bob", "…"]]}`. */
export function columnsBeside(
  object: Record<string, unknown>,
  rows: readonly unknown[],
  kindOf: KindOf,
): Column[] | null {
  for (const name of Object.keys(object)) {
    if (name.length > 16 || !HEADS.test(name)) continue;
    const head = object[name];
    if (head === rows || !Array.isArray(head)) continue;
    const columns = columnsOf(head.length === 1 && Array.isArray(head[0]) ? head[0] : head, kindOf);
    if (columns !== null) return columns;
  }
  return null;
}

/** Kinds of a row's elements; undefined when none of them looks like a credential. */
export function kindsOfCells(row: readonly unknown[], columns: readonly Column[]): NameKind[] | undefined {
  let kinds: NameKind[] | undefined;
  for (let i = 0; i < columns.length && i < row.length; i++) {
    const { kind, name } = columns[i] as Column;
    const cell = row[i];
    if (kind === "none" || typeof cell !== "string" || !isCredentialCell(kind, name, cell)) continue;
    kinds ??= new Array<NameKind>(row.length).fill("none");
    kinds[i] = kind;
  }
  return kinds;
}

function columnsOf(head: readonly unknown[], kindOf: KindOf): Column[] | null {
  if (head.length > MOST) return null;
  let named = false;
  const columns: Column[] = [];
  for (const cell of head) {
    const name = nameOf(cell);
    if (name === null) return null;
    const kind = name.length > 48 ? "none" : kindOf(name);
    named ||= kind !== "none";
    columns.push({ name, kind });
  }
  return named ? columns : null;
}

/** A column is named by a text, or by an object that has a name. */
function nameOf(cell: unknown): string | null {
  if (typeof cell === "string") return cell;
  if (typeof cell !== "object" || cell === null || Array.isArray(cell)) return null;
  for (const key of ["name", "field", "key", "header", "title", "label", "id"]) {
    const name = (cell as Record<string, unknown>)[key];
    if (typeof name === "string") return name;
  }
  return null;
}
