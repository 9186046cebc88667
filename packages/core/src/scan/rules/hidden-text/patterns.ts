import { isBounded } from "../../interpreter/text/methods.ts";
import { SPLIT_NAMES } from "../../program/rare-names.ts";
import type { Rule, RuleContext } from "../rule.ts";

/** Regular expressions of one file that are tried. */
const PATTERNS = 500;
/** Ordinary words: a pattern that matches one of them is meant for ordinary names. */
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
/** Letters, of which a pattern for names needs at least two. */
const LETTERS = /[a-zA-Z]/g;
/** A hand-written filter of markup. */
const FILTER = /<[^<>]{0,20}script|\bon\\w|\bon\[/i;
const INSERTS_MARKUP = /__html|innerHTML|insertAdjacentHTML/;
/** A pattern that reads comments from the source text of a function. */
const COMMENT = /^[\s(]*\\\/\\\*/;

/** Regular expressions that match one dangerous name, but contain only a part of it. */
export const patterns: Rule = {
  id: "hidden-text",
  severity: "medium",
  onFile: checkPatterns,
};

function checkPatterns(context: RuleContext): void {
  for (const node of context.interpreter.program.patterns.slice(0, PATTERNS)) {
    const { pattern, flags } = node;
    if (FILTER.test(pattern) && INSERTS_MARKUP.test(context.source))
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
    for (const name of SPLIT_NAMES)
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
