import { Evaluator } from "./evaluate/evaluator.ts";
import { excerptOf, type Finding, Findings } from "./finding.ts";
import { parseSource } from "./parse.ts";
import type { SinkContext } from "./sinks.ts";
import { evalSink, externalRequestSink, redirectSink, scriptInjectionSink } from "./sinks.ts";

/** The longest component in UTF-16 units; in bytes it may be longer. */
export const SOURCE_LIMIT = 524_288;

const SINKS = [evalSink, redirectSink, externalRequestSink, scriptInjectionSink];

/**
 * Scans the source of a component (JavaScript, TypeScript, JSX or Flow; module or script). Returns the findings that a
 * reader should check before the component is published, in source order: strings run as code (`eval`), leaving the page
 * (`redirect`), requests to other hosts (`external-request`) and scripts put into the page (`script-injection`). A
 * source that cannot be parsed, or is too long or too deeply nested, is one finding `unparsable` at the place where
 * parsing stopped. Never throws, runs nothing of the source, and takes time in proportion to its length.
 */
export function scanComponent(source: string): Finding[] {
  if (source.length > SOURCE_LIMIT) return unparsable(source, 1, 1);
  const parsed = parseSource(source);
  if (!parsed.ok) return unparsable(source, parsed.line, parsed.column);
  const findings = new Findings();
  const evaluator: Evaluator = new Evaluator((act) => {
    for (const sink of SINKS) sink(act, context);
  });
  const context: SinkContext = {
    report: (rule, severity, node) => findings.add(rule, severity, node),
    text: (value) => evaluator.text(value),
    member: (owner, key) => evaluator.member(owner, key),
  };
  try {
    evaluator.runProgram(parsed.file.program);
  } catch (error) {
    // A RangeError: the tree is too deep for the stack. Any other error is a bug, and is thrown so that no source passes unscanned.
    if (error instanceof RangeError) return unparsable(source, 1, 1);
    throw error;
  }
  return findings.list(source);
}

function unparsable(source: string, line: number, column: number): Finding[] {
  const text = source.split("\n", line)[line - 1] ?? "";
  return [{ rule: "unparsable", severity: "high", line, column, excerpt: excerptOf(text, 0, text.length) }];
}
