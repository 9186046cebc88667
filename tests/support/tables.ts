import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { repository } from "./cli.ts";

/** A row of a table in a document: its cells by the headings of their columns. */
export type TableRow = Record<string, string>;

/** Returns the tables of a document under `docs/`, by the heading above them. */
export async function tablesOf(document: string): Promise<Map<string, TableRow[]>> {
  const text = await readFile(join(repository, "docs", document), "utf8");
  const tables = new Map<string, TableRow[]>();
  let heading = "";
  let head: string[] | undefined;
  for (const line of text.split("\n")) {
    if (line.startsWith("#")) heading = line.replace(/^#+ /, "");
    if (!line.startsWith("|")) {
      head = undefined;
      continue;
    }
    const cells = line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (head === undefined) {
      head = cells;
      tables.set(heading, []);
    } else if (!cells.every((cell) => /^:?-+:?$/.test(cell))) {
      const names = head;
      tables.get(heading)?.push(Object.fromEntries(cells.map((cell, i) => [names[i] ?? "", cell])));
    }
  }
  return tables;
}
