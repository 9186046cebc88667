import type * as t from "@babel/types";

/**
 * How serious a finding is. `high`: runs code, hides something, or leads the user to another site. `medium`: sends a request to another
 * host, or may do what `high` does. `low`: stays on the site or on the user's machine.
 */
export type Severity = "high" | "medium" | "low";

/** A location that a reader should check before the component is published. Line and column start at 1. */
export interface Finding {
  /** The kind of act, or `unparsable` for a component that cannot be parsed. */
  rule: string;
  severity: Severity;
  line: number;
  column: number;
  /** The code at that location on one line, at most 120 characters. */
  excerpt: string;
}

const EXCERPT = 120;
/** At most this many findings are kept; more would not help a reader. */
const FINDINGS = 500;
const ORDER: Record<Severity, number> = { high: 0, medium: 1, low: 2 };
type Found = { rule: string; severity: Severity; start: number; end: number };

/** Collects findings: the most serious one per rule and start offset. */
export class Findings {
  readonly #found = new Map<string, Found>();

  add(rule: string, severity: Severity, { start, end }: Pick<t.Node, "start" | "end">): void {
    const key = `${rule} ${start}`;
    const known = this.#found.get(key);
    if (known === undefined && this.#found.size < FINDINGS)
      this.#found.set(key, { rule, severity, start: start ?? 0, end: end ?? start ?? 0 });
    else if (known !== undefined && ORDER[severity] < ORDER[known.severity]) known.severity = severity;
  }

  /** Returns the findings in the order of the source. */
  list(source: string): Finding[] {
    const sorted = [...this.#found.values()].sort((a, b) => a.start - b.start || (a.rule < b.rule ? -1 : 1));
    const breaks = /\r\n|[\n\r\u2028\u2029]/g;
    let [line, lineStart] = [1, 0];
    let next = breaks.exec(source);
    return sorted.map(({ rule, severity, start, end }) => {
      for (; next !== null && next.index + next[0].length <= start; next = breaks.exec(source)) {
        lineStart = next.index + next[0].length;
        line++;
      }
      return { rule, severity, line, column: start - lineStart + 1, excerpt: excerptOf(source, start, end) };
    });
  }
}

/** Returns a range of the source on one line, without characters that are invisible or change the text direction. */
export function excerptOf(source: string, start: number, end: number): string {
  const text = source
    .slice(start, Math.min(end, start + 4 * EXCERPT))
    .replace(/[\s\p{C}]+/gu, " ")
    .trim();
  if (text.length <= EXCERPT && end <= start + 4 * EXCERPT) return text;
  const cut = text.slice(0, EXCERPT - 1);
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}
