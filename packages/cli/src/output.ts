import { styleText } from "node:util";

type Color = "red" | "yellow" | "green" | "dim" | "bold";

/** Colours a text, if the terminal shows colours and NO_COLOR is not set. */
function color(stream: NodeJS.WriteStream, name: Color, text: string): string {
  return stream.isTTY && stream.hasColors?.() && !process.env.NO_COLOR ? styleText(name, text) : text;
}

export type Cell = string | number | boolean | null | undefined | Date | readonly string[];

/** The colour of a cell that contains only this word. */
const COLORS: Readonly<Record<string, Color>> = {
  available: "green",
  cooling_down: "yellow",
  disabled: "red",
  deleted: "dim",
  revoked: "dim",
};

/** Prints a table for people, with one line per row. The names of the first row's members are the headings of the columns. */
export function printTable(rows: readonly Record<string, Cell>[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => columns.map((column) => textOf(row[column])));
  const isNumber = columns.map((column) => rows.some((row) => typeof row[column] === "number"));
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...cells.map((row) => (row[index] ?? "").length)),
  );
  const padded = (text: string, index: number) =>
    isNumber[index] ? text.padStart(widths[index] ?? 0) : text.padEnd(widths[index] ?? 0);
  const { stdout } = process;
  const print = (texts: string[]) => stdout.write(`${texts.join("  ").trimEnd()}\n`);
  if (columns.length > 0) print(columns.map((column, index) => color(stdout, "bold", padded(column, index))));
  for (const row of cells) {
    print(
      row.map((text, index) => {
        const shade = COLORS[text];
        return shade === undefined ? padded(text, index) : color(stdout, shade, padded(text, index));
      }),
    );
  }
}

/** Returns the text of a cell. Names are free text, so characters that a terminal would obey are escaped. */
export function textOf(cell: Cell): string {
  if (cell === null || cell === undefined) return "–";
  if (cell instanceof Date) return cell.toISOString();
  return escaped(Array.isArray(cell) ? cell.join(", ") : String(cell), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu);
}

/** Escapes the characters that a terminal would obey in a text of several lines, but not tabs and line breaks. */
export function linesOfText(text: string): string {
  return escaped(text, /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu);
}

const escaped = (text: string, signs: RegExp) =>
  text.replace(signs, (sign) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`);

export function printJson(value: unknown): void {
  // JSON.stringify does not escape these control characters, which a terminal would obey.
  process.stdout.write(`${escaped(JSON.stringify(value, null, 2), /[\u007f-\u009f]/g)}\n`);
}

/** Prints a line for people on standard error, because programs read standard output. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Shows the progress in one line, only on a terminal. */
export function progress(what: string, total: number): { step(done: number): void; end(): void } {
  const { stderr } = process;
  // Short work needs no progress line.
  const shown = stderr.isTTY && total > 200;
  return {
    step: (done) => void (shown && stderr.write(`\r${what} ${done} of ${total} …`)),
    end: () => void (shown && stderr.write("\r\u001b[K")),
  };
}

/** Returns a duration in its largest unit: `45 s`, `12 min`, `5 h`, `3 d`. */
export function duration(seconds: number | null): string | null {
  if (seconds === null) return null;
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
}

/** Returns a time to the second, in UTC. */
export function moment(time: string | Date | null): string | null {
  return time === null ? null : `${new Date(time).toISOString().slice(0, 19).replace("T", " ")}Z`;
}
