import type { Revenue } from "@keyhub/hub/source";

const COLUMNS = [
  "day",
  "title",
  "currency",
  "sales",
  "gross_cents",
  "refunds_cents",
  "fee_cents",
  "net_cents",
] as const satisfies readonly (keyof Revenue[number])[];

/** Returns the table as CSV. It puts an apostrophe before a cell that a spreadsheet would read as a formula. */
export function csvOf(earned: Revenue): string {
  const cell = (value: string | number) => {
    const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const rows = earned.map((row) => COLUMNS.map((column) => cell(row[column])).join(","));
  return `${[COLUMNS.join(","), ...rows].join("\r\n")}\r\n`;
}
