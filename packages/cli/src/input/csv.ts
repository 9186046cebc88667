import papa from "papaparse";
import { CommandFailure } from "../failure.ts";
import { type Input, readEntry } from "./entry.ts";

const COLUMNS = ["name", "key", "provider", "priority", "account"] as const;
type Column = (typeof COLUMNS)[number];
const HEADER = `the first line names the columns, and key is required: ${COLUMNS.join(", ")}`;

interface Row {
  cells: string[];
  /** The number of the record's last line, counted from 1. A value in quotes may have several lines. */
  line: number;
}

/** Reads a CSV whose first line names its columns, in any order. Throws a CommandFailure that repeats none of the text. */
export function readCsv(text: string): Input {
  const [header, ...rows] = parseRows(text);
  const columns = (header?.cells ?? []).map((name) => name.trim().toLowerCase());
  const known = columns.every((name): name is Column => COLUMNS.includes(name as Column));
  if (!known || !columns.includes("key") || new Set(columns).size < columns.length)
    throw new CommandFailure(`the columns of this CSV are wrong; ${HEADER}`);
  return {
    entries: rows.map(({ cells, line }) => {
      const fields = Object.fromEntries(columns.map((name, index) => [name, cells[index] ?? ""]));
      return readEntry(`line ${line}`, { ...fields, key: fields.key ?? "" });
    }),
    others: [],
  };
}

function parseRows(text: string): Row[] {
  const source = text.replace(/^\uFEFF/, "");
  const rows: Row[] = [];
  let [line, at] = [0, 0];
  papa.parse<string[]>(source, {
    step: ({ data: cells, errors, meta: { cursor } }) => {
      const read = source.slice(at, cursor);
      // A record that ends with a line break has an empty part after the break, which is not a line.
      line += read.split(/\r\n|\n|\r/).length - (/[\r\n]$/.test(read) ? 1 : 0);
      at = cursor;
      if (cells.every((cell) => cell.trim() === "")) return;
      if (errors.some(({ type }) => type === "Quotes") || cells.length !== (rows[0]?.cells ?? cells).length) {
        throw new CommandFailure(
          `line ${line} is not a valid line of this CSV: a quote does not end, or the number of columns differs from the first line; nothing was written`,
        );
      }
      rows.push({ cells, line });
    },
  });
  return rows;
}
