import { RARE } from "../../program/rare-names.ts";
import type { Rule } from "../rule.ts";

/** What objects that pass for elements of React are told by. */
const ELEMENT = /\breact\.(?:transitional\.)?element\b/;
/** Texts that are programs or markup which runs them. */
const PROGRAM =
  /\bdocument\.cookie\b|[\s"'/]on(?:error|load|begin|toggle|click|focus)\s*=\s*["']?\w[\w.]*\(|\breturn (?:eval|fetch)\(|dangerouslySetInnerHTML["']?\s*:/;
/** Texts that are written for people say such things among other words. */
const PROSE = /\b(?:[A-Za-z]{1,20}[,.]? ){5}/;
/** Names in a row, which are to be taken apart. */
const NAMES = /^[\w$]{2,30}(?:[,|;:/~-][\w$]{2,30}){1,40}$/;
/** Styles that load something for one value of an attribute. */
const CHOSEN =
  /\[[\w-]+[\^$*|~]=[^\]]{0,40}\][^{}]{0,80}\{[^}]{0,200}url\(|@font-face[^}]{0,300}unicode-range[^}]{0,300}url\(\s*["']?(?:https?:)?\/\/|url\(\s*["']?(?:https?:)?\/\/[^}]{0,300}unicode-range/i;

/** Texts of some length that hold a program, an element, a style that tells something, or names in a row. */
export const texts: Rule = {
  id: "hidden-text",
  severity: "low",
  onFile({ interpreter, report }) {
    for (const { node, value } of interpreter.program.literals) {
      if (ELEMENT.test(value)) report("script-injection", "medium", node);
      else if (value.length < 4096 && PROGRAM.test(value) && !PROSE.test(value)) report("eval", "low", node);
      else if (NAMES.test(value) && value.split(/[^\w$]+/).some((name) => RARE.get(name)?.at.includes("s")))
        report("hidden-text", "low", node);
      else if (CHOSEN.test(value)) report("external-request", "low", node);
    }
  },
};
