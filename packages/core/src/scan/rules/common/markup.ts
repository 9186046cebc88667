import type * as t from "@babel/types";
import { pay } from "../../interpreter/budget.ts";
import { asText } from "../../interpreter/text/text.ts";
import {
  DECODED,
  HIDDEN,
  HOLE,
  OUTSIDE,
  options,
  PRIVATE,
  REMOTE,
  type Value,
} from "../../interpreter/value.ts";
import type { RuleContext } from "../rule.ts";
import { hidesHost } from "./shown.ts";
import { judgeTags, type Verdict } from "./tags.ts";

/** What reading a character of markup takes, beside copying it. */
const READING = 16;

/** `{__html: …}` as React takes it, or the markup itself. */
export function checkInnerHtml(context: RuleContext, value: Value, node: t.Node): void {
  for (const option of options(value)) {
    const held =
      option.kind === "object" || option.kind === "record"
        ? context.interpreter.member(option, "__html")
        : option;
    checkMarkup(context, held, node);
  }
}

/** Text that becomes part of the page: reports scripts, handlers and redirects in it, and foreign text. */
export function checkMarkup(context: RuleContext, value: Value, node: t.Node): void {
  for (const option of options(value)) {
    const { value: text, taint } = asText(option);
    if (taint & (HIDDEN | DECODED) && text.includes(HOLE)) context.report("script-injection", "high", node);
    else if (taint & (REMOTE | OUTSIDE) && text.includes(HOLE))
      context.report("script-injection", "medium", node);
    if (text.includes("<")) checkTags(context, text, taint, node);
  }
}

/** Reports scripts, handlers and redirects in a text of HTML. */
export function checkTags(context: RuleContext, text: string, taint: number, node: t.Node): void {
  for (const [rule, severity] of verdictsOf(context, text, taint & (PRIVATE | HIDDEN | DECODED))) {
    context.report(rule, severity, node);
  }
}

/** What is to be said of a text of HTML, worked out once: the same text may be written at thousands of places. */
function verdictsOf(context: RuleContext, text: string, taint: number): readonly Verdict[] {
  const read = context.markup.get(taint) ?? new Map<string, readonly Verdict[]>();
  context.markup.set(taint, read);
  let verdicts = read.get(text);
  if (verdicts === undefined) {
    // Reading markup takes many times what copying it takes; what is not read may hold anything.
    verdicts = pay(READING * text.length)
      ? judgeTags(text, taint, (address) => hidesHost(context, address, taint))
      : [["script-injection", "high"]];
    read.set(text, verdicts);
  }
  return verdicts;
}
