import { parse } from "csv-parse/sync";
import { CommandFailure } from "../failure.ts";
import { type Input, readEntry } from "./entry.ts";

const COLUMNS = ["name", "key", "provider", "priority", "account"] as const;
type Column = (typeof COLUMNS)[number];
const HEADER = `the first line names the columns, of which key is needed: ${COLUMNS.join(", ")}`;

interface Parsed {
  record: string[];
  info: { lines: number };
}

/** A CSV whose first line names its columns, in any order. Throws a CommandFailure that repeats nothing of it. */
export function readCsv(text: string): Input {
  const [header, ...rows] = parseRows(text);
  const columns = (header?.record ?? []).map((name) => name.trim().toLowerCase());
  const known = columns.every((name): name is Column => COLUMNS.includes(name as Column));
  if (!known || !columns.includes("key") || new Set(columns).size < columns.length)
    throw new CommandFailure(`this CSV has not the columns that are expected; ${HEADER}`);
  return {
    entries: rows.map(({ record, info }) => {
      const fields = Object.fromEntries(columns.map((name, index) => [name, record[index] ?? ""]));
      return readEntry(`line ${info.lines}`, { ...fields, key: fields.key ?? "" });
    }),
    others: [],
  };
}

function parseRows(text: string): Parsed[] {
  try {
    return parse(text, {
      bom: true,
      info: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
    }) as unknown as Parsed[];
  } catch (error) {
    // The parser's own message repeats a part of the line.
    const { lines } = error as { lines?: number };
    throw new CommandFailure(
      `line ${lines ?? "?"} is no line of this CSV: a quote that does not end, or not as many columns as the first line; nothing was written`,
    );
  }
}
