import { RARE_NAMES } from "../../program/rare-names.ts";
import type { Rule } from "../rule.ts";

/** The mark of an object that poses as a React element. */
const ELEMENT = /\breact\.(?:transitional\.)?element\b/;
/** Strings that are code, or markup that runs code. */
const PROGRAM =
  /\bdocument\.cookie\b|[\s"'/]on(?:error|load|begin|toggle|click|focus)\s*=\s*["']?\w[\w.]*\(|\breturn (?:eval|fetch)\(|dangerouslySetInnerHTML["']?\s*:/;
/** Text for people mentions such code among other words. */
const PROSE = /\b(?:[A-Za-z]{1,20}[,.]? ){5}/;
/** A list of names in one string, to be split. */
const NAMES = /^[\w$]{2,30}(?:[,|;:/~-][\w$]{2,30}){1,40}$/;
/** Styles that load an address only for one value of an attribute, or for one range of characters. */
const CONDITIONAL_STYLE =
  /\[[\w-]+[\^$*|~]=[^\]]{0,40}\][^{}]{0,80}\{[^}]{0,200}url\(|@font-face[^}]{0,300}unicode-range[^}]{0,300}url\(\s*["']?(?:https?:)?\/\/|url\(\s*["']?(?:https?:)?\/\/[^}]{0,300}unicode-range/i;

/** Long strings that contain a program, a React element, a style that sends data, or a list of names. */
export const longStrings: Rule = {
  id: "hidden-text",
  severity: "low",
  onFile({ interpreter, report }) {
    for (const { node, value } of interpreter.program.literals) {
      if (ELEMENT.test(value)) report("script-injection", "medium", node);
      else if (value.length < 4096 && PROGRAM.test(value) && !PROSE.test(value)) report("eval", "low", node);
      else if (
        NAMES.test(value) &&
        value.split(/[^\w$]+/).some((name) => RARE_NAMES.get(name)?.at.includes("s"))
      )
        report("hidden-text", "low", node);
      else if (CONDITIONAL_STYLE.test(value)) report("external-request", "low", node);
    }
  },
};
