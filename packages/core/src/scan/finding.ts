/** How certain and how serious a finding is: `high` runs foreign code or hides something, `low` is usually harmless. */
export type Severity = "high" | "medium" | "low";

/** A location that a reader should check before the component is published. Line and column count from 1. */
export interface Finding {
  /** The id of the rule that reported it; `unparsable` is a source that cannot be parsed. */
  rule: string;
  severity: Severity;
  line: number;
  column: number;
  /** The code at that location on one line, at most 120 characters. */
  excerpt: string;
}

const EXCERPT = 120;
/** At most this many findings are kept: more do not help a reader. */
const FINDINGS = 500;
const ORDER: Record<Severity, number> = { high: 0, medium: 1, low: 2 };

/** A range of the source. */
export interface SourceRange {
  start?: number | null | undefined;
  end?: number | null | undefined;
}

export interface Report {
  add(rule: string, severity: Severity, at: SourceRange): void;
  findings(): Finding[];
}

/** Collects findings: the most serious one per rule and start offset, in source order. */
export function newReport(source: string): Report {
  const found = new Map<string, Finding>();
  let lines: number[] | undefined;
  return {
    add(rule, severity, at) {
      const start = at.start ?? 0;
      lines ??= lineStarts(source);
      const line = lineAt(lines, start);
      const column = start - (lines[line - 1] ?? 0) + 1;
      const key = `${rule} ${start}`;
      const known = found.get(key);
      if (known !== undefined) {
        if (ORDER[severity] < ORDER[known.severity]) known.severity = severity;
      } else if (found.size < FINDINGS) {
        const excerpt = excerptOf(source, start, at.end ?? start);
        found.set(key, { rule, severity, line, column, excerpt });
      }
    },
    findings: () =>
      [...found.values()].sort(
        (a, b) => a.line - b.line || a.column - b.column || (a.rule < b.rule ? -1 : 1),
      ),
  };
}

/** The start offset of each line, by the line terminators of JavaScript. */
function lineStarts(source: string): number[] {
  const starts = [0];
  for (const { index, 0: found } of source.matchAll(/\r\n|[\n\r\u2028\u2029]/g))
    starts.push(index + found.length);
  return starts;
}

/** The line of an offset, counted from 1. */
function lineAt(starts: number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}

/** A range of the source on one line, without characters that are invisible or change the text direction. */
export function excerptOf(source: string, start: number, end: number): string {
  const text = source
    .slice(start, Math.min(end, start + 4 * EXCERPT))
    .replace(/[\s\p{C}]+/gu, " ")
    .trim();
  if (text.length <= EXCERPT && end <= start + 4 * EXCERPT) return text;
  const cut = text.slice(0, EXCERPT - 1);
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
