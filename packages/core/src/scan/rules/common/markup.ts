import type * as t from "@babel/types";
import { charge } from "../../interpreter/budget.ts";
import { asText } from "../../interpreter/text/text.ts";
import {
  DECODED,
  HIDDEN,
  HOLE,
  options,
  PRIVATE,
  REMOTE,
  UNTRUSTED,
  type Value,
} from "../../interpreter/value.ts";
import type { RuleContext } from "../rule.ts";
import { hidesHost } from "./content-address.ts";
import { judgeTags, type Verdict } from "./tags.ts";

/** The cost of parsing a character of markup, in comparison with copying it. */
const COST_PER_CHARACTER = 16;

/** React's `{__html: …}`, or the markup itself. */
export function checkInnerHtml(context: RuleContext, value: Value, node: t.Node): void {
  for (const option of options(value)) {
    const held =
      option.kind === "object" || option.kind === "record"
        ? context.interpreter.member(option, "__html")
        : option;
    checkMarkup(context, held, node);
  }
}

/** Markup that becomes part of the page: reports scripts, handlers and redirects in it, and parts from outside. */
export function checkMarkup(context: RuleContext, value: Value, node: t.Node): void {
  for (const option of options(value)) {
    const { value: text, taint } = asText(option);
    if (taint & (HIDDEN | DECODED) && text.includes(HOLE)) context.report("script-injection", "high", node);
    else if (taint & (REMOTE | UNTRUSTED) && text.includes(HOLE))
      context.report("script-injection", "medium", node);
    if (text.includes("<")) checkTags(context, text, taint, node);
  }
}

/** Reports scripts, handlers and redirects in a string of HTML. */
export function checkTags(context: RuleContext, text: string, taint: number, node: t.Node): void {
  for (const [rule, severity] of verdictsOf(context, text, taint & (PRIVATE | HIDDEN | DECODED))) {
    context.report(rule, severity, node);
  }
}

/** The verdicts on a string of HTML, computed once: the same string may occur in thousands of locations. */
function verdictsOf(context: RuleContext, text: string, taint: number): readonly Verdict[] {
  const read = context.markup.get(taint) ?? new Map<string, readonly Verdict[]>();
  context.markup.set(taint, read);
  let verdicts = read.get(text);
  if (verdicts === undefined) {
    // Parsing markup costs many times what copying costs; unparsed markup may contain anything.
    verdicts = charge(COST_PER_CHARACTER * text.length)
      ? judgeTags(text, taint, (address) => hidesHost(context, address, taint))
      : [["script-injection", "high"]];
    read.set(text, verdicts);
  }
  return verdicts;
}
