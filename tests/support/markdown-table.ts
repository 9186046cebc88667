/** Returns a Markdown table as the formatter writes it: all cells of a column have the same width. The first row is the head. */
export function markdownTable([head = [], ...rows]: string[][]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = widths.map((width) => "-".repeat(width));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

/** Replaces the text between two markers of a page; the markers stay. */
export function replaceBetween(page: string, [from, to]: [string, string], text: string): string {
  const [before, rest = ""] = page.split(from);
  const [, after = ""] = rest.split(to);
  return `${before}${from}\n${text}\n${to}${after}`;
}
