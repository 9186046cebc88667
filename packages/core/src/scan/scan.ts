import type * as t from "@babel/types";
import { excerptOf, type Finding, newReport } from "./finding.ts";
import { resetBudget } from "./interpreter/budget.ts";
import { Interpreter } from "./interpreter/interpreter.ts";
import { link } from "./interpreter/link/link.ts";
import { parseSource } from "./parse.ts";
import { walkProgram } from "./program/walk.ts";
import { applyRules } from "./rules/dispatch/file.ts";
import { RULES } from "./rules/registry.ts";
import type { Rule } from "./rules/rule.ts";

/** The longest component, in UTF-16 units; in bytes it is at least as long. */
export const SOURCE_LIMIT = 524_288;

/**
 * Scans the source of a component (JavaScript, TypeScript, JSX or Flow; module or script). Returns the findings that a
 * reader should check before it is published, in source order: strings run as code (`eval`), leaving the page
 * (`redirect`), requests to other hosts (`external-request`) and scripts inserted into the page (`script-injection`). A
 * source that cannot be parsed, or is too long or too deeply nested, is one finding `unparsable` at the location where
 * parsing stopped. Never throws, runs nothing, and takes time in proportion to the source.
 */
export function scanComponent(source: string): Finding[] {
  return scanWith(RULES, source);
}

/** The scan with other rules than those of the registry. */
export function scanWith(rules: readonly Rule[], source: string): Finding[] {
  if (source.length > SOURCE_LIMIT) return unparsable(source, 1, 1);
  const parsed = parseSource(source);
  if (!parsed.ok) return unparsable(source, parsed.line, parsed.column);
  try {
    return examine(source, parsed.file, rules);
  } catch (error) {
    // The tree is deeper than the stack. Any other error is our bug; no source may pass because of it.
    if (error instanceof RangeError) return unparsable(source, 1, 1);
    throw error;
  }
}

function examine(source: string, file: t.File, rules: readonly Rule[]): Finding[] {
  resetBudget();
  const interpreter = new Interpreter(walkProgram(file, source));
  link(interpreter);
  const report = newReport(source);
  applyRules(rules, interpreter, source, report);
  return report.findings();
}

function unparsable(source: string, line: number, column: number): Finding[] {
  let start = 0;
  for (let at = 1; at < line; at++) start = source.indexOf("\n", start) + 1;
  const end = source.indexOf("\n", start);
  const excerpt = excerptOf(source, start, end < 0 ? source.length : end);
  return [{ rule: "unparsable", severity: "high", line, column, excerpt }];
}
