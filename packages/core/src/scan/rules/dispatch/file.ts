import type * as t from "@babel/types";
import type { Report } from "../../finding.ts";
import { isExhausted, startLocation } from "../../interpreter/budget.ts";
import type { Interpreter } from "../../interpreter/interpreter.ts";
import type { Rule, RuleContext } from "../rule.ts";
import { newRuleTable } from "../table.ts";
import { onCall, onTagged } from "./calls.ts";
import { onElement } from "./jsx.ts";
import { onMemberWrite, onNameWrite } from "./writes.ts";

/** Applies the rules to every location of a file. Writes and elements come first: a click needs the address of its link. */
export function applyRules(
  rules: readonly Rule[],
  interpreter: Interpreter,
  source: string,
  report: Report,
): void {
  let stopped: t.Node | null = null;
  const each: RuleContext["each"] = (places, look) => {
    for (const place of places) {
      startLocation();
      look(place);
      if (stopped === null && isExhausted()) stopped = place.node;
    }
  };
  const reported = new Set<string>();
  const context: RuleContext = {
    interpreter,
    source,
    rules: newRuleTable(rules),
    forms: new Set(),
    markup: new Map(),
    styles: new Map(),
    collected: { reported, requests: [], loads: [], links: [], clicks: [] },
    report(id, severity, node) {
      reported.add(id);
      report.add(id, severity, node);
    },
    reportText(id, severity, start, end) {
      reported.add(id);
      report.add(id, severity, { start, end });
    },
    each,
  };
  const { program } = interpreter;
  each(program.memberWrites, (write) => onMemberWrite(context, write));
  each(program.nameWrites, (write) => onNameWrite(context, write));
  each(program.jsx, ({ node, scope }) => onElement(context, node, scope));
  each(program.calls, ({ node, scope }) => onCall(context, node, scope));
  each(program.tagged, ({ node, scope }) => onTagged(context, node, scope));
  for (const rule of context.rules.having.onFile) rule.onFile?.(context);
  for (const rule of context.rules.having.onEnd) rule.onEnd?.(context);
  // From there on nothing was evaluated, so the rest may be anything.
  if (stopped !== null) report.add("unparsable", "high", stopped);
}
