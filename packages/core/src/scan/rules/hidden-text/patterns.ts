import { isBounded } from "../../interpreter/text/methods.ts";
import { PIECED } from "../../program/rare-names.ts";
import type { Rule, RuleContext } from "../rule.ts";

/** Patterns of one file that are tried. */
const PATTERNS = 500;
/** Words that a pattern of names which is meant for ordinary ones fits too. */
const ORDINARY = [
  "label",
  "x",
  "name",
  "value",
  "id",
  "title",
  "data-x",
  "aria-label",
  "Text",
  "size",
  "42",
  "a b",
  "children",
];
/** What says something, of which a pattern for names needs some. */
const LETTERS = /[a-zA-Z]/g;
/** A filter of markup that somebody wrote by hand. */
const FILTER = /<[^<>]{0,20}script|\bon\\w|\bon\[/i;
const PLACED = /__html|innerHTML|insertAdjacentHTML/;
/** Comments that are taken out of the text of a function. */
const COMMENT = /^[\s(]*\\\/\\\*/;

/** Patterns that pick one dangerous name and say it only in part. */
export const patterns: Rule = {
  id: "hidden-text",
  severity: "medium",
  onFile: checkPatterns,
};

function checkPatterns(context: RuleContext): void {
  for (const node of context.interpreter.program.patterns.slice(0, PATTERNS)) {
    const { pattern, flags } = node;
    if (FILTER.test(pattern) && PLACED.test(context.source))
      context.report("script-injection", "medium", node);
    if (pattern.length > 80) continue;
    if (COMMENT.test(pattern) && /toString\(\)|String\(/.test(context.source))
      context.report("hidden-text", "low", node);
    if ((pattern.match(LETTERS) ?? []).length < 2 || !/[.\\[(*+?|]/.test(pattern) || !isBounded(pattern))
      continue;
    if (/^\^?[\w$ -]*\$?$/.test(pattern) || !(pattern.startsWith("^") || /[.\\[]/.test(pattern))) continue;
    let tested: RegExp;
    try {
      tested = new RegExp(pattern, flags.replace(/[gy]/g, ""));
    } catch {
      continue;
    }
    if (ORDINARY.some((word) => tested.test(word))) continue;
    for (const name of PIECED)
      if (
        name.length > 3 &&
        /^\w+$/.test(name) &&
        tested.exec(name)?.[0] === name &&
        !pattern.includes(name)
      ) {
        context.report("hidden-text", "low", node);
        break;
      }
  }
}
