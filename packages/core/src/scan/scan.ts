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

/** A component is at most this long (UTF-16 units, so never less than the same number of bytes). */
export const SOURCE_LIMIT = 524_288;

/**
 * Scans the source of a component (JavaScript, TypeScript, JSX or Flow; module or script) and returns what its reader
 * should see before it is published, in the order of the source: text run as a program (`eval`), leaving the page
 * (`redirect`), requests to other hosts (`external-request`) and scripts put into the page (`script-injection`). A
 * source that cannot be parsed, or is too long or too deeply nested to be, is one finding `unparsable` at the place
 * where reading stopped. Never throws, runs nothing, and takes time in proportion to the source.
 */
export function scanComponent(source: string): Finding[] {
  return scanWith(RULES, source);
}

/** The scan by other rules than those of the registry. */
export function scanWith(rules: readonly Rule[], source: string): Finding[] {
  if (source.length > SOURCE_LIMIT) return unparsable(source, 1, 1);
  const parsed = parseSource(source);
  if (!parsed.ok) return unparsable(source, parsed.line, parsed.column);
  try {
    return examine(source, parsed.file, rules);
  } catch (error) {
    // The tree is deeper than the stack. Anything else is a fault of ours, and no source passes by one.
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
