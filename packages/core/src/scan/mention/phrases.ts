import { nameOfKey } from "../program/patterns.ts";
import type { Site } from "../rules/site.ts";
import { evaluate } from "../values/evaluate.ts";
import { HOLE, options } from "../values/value.ts";
import { asText } from "../values/text.ts";

/** What objects that pass for elements of React are told by. */
const ELEMENT = /\breact\.(?:transitional\.)?element\b/;
/** Texts that are programs or markup which runs them. */
const PROGRAM = /\bdocument\.cookie\b|[\s"'/]on(?:error|load|begin|toggle|click|focus)\s*=\s*["']?\w[\w.]*\(|\breturn (?:eval|fetch)\(|dangerouslySetInnerHTML["']?\s*:/;
/** Texts that are written for people say such things among other words. */
const PROSE = /(?:[A-Za-z]+[,.]? ){5}/;
/** A function of `location` or of the browser that is handed on. */
const HANDED =
  /\b(?:location\s*(?:\??\.\s*|\[["'`])(?:assign|replace)|navigator\s*(?:\??\.\s*|\[["'`])sendBeacon|document\s*(?:\??\.\s*|\[["'`])(?:write|writeln|open))\b(?:["'`]\])?(?!\s*(?:\(|\?\.\(|[!=]==|=[^=>]|&&|\?[^.]|\)\s*\{|\)\s*return|\w|["'`]|<\/))/g;
/** Members that are added to what everything is made from. */
const POLLUTED =
  /\b(?:Object|Array|String|Number|Function|RegExp|Promise|Map|Set|Node|Element|HTMLElement|EventTarget|Event|Date|Boolean|Symbol)\.prototype(?:\s+as\s+\w+\s*\)?|\))?\s*(?:\.\s*\w+|\[[^\]]+\])\s*(?:\?\?|\|\|)?=(?!=)/g;
/** The window that a click stands for. */
const VIEW = /\b(?:nativeEvent|event|evt|ev|e)\s*(?:!|\?)?(?:as\s+\w+\))?\.\s*view\b|\bnativeEvent\s*:\s*\{[^}]*\bview\b|Event\s*\)\.view\b/g;
/** Styles that load something for one value of an attribute. */
const CHOSEN = /\[[\w-]+[\^$*|~]=[^\]]{0,40}\][^{}]{0,80}\{[^}]{0,200}url\(|@font-face[^}]*unicode-range[^}]*url\(\s*["']?(?:https?:)?\/\/|url\(\s*["']?(?:https?:)?\/\/[^}]*unicode-range/i;

/** Places that tell what they do by how they are written. */
export function checkPhrases(site: Site): void {
  const { source, tracer } = site;
  const { program } = tracer;
  for (const { node, value } of program.literals) {
    if (ELEMENT.test(value)) site.report("script-injection", "medium", node);
    else if (value.length < 4096 && PROGRAM.test(value) && !PROSE.test(value)) site.report("eval", "low", node);
    else if (CHOSEN.test(value)) site.report("external-request", "low", node);
  }
  const all = (word: string, pattern: RegExp, say: (at: number, length: number) => void) => {
    if (source.includes(word)) for (const { index, 0: found } of source.matchAll(pattern)) say(index, found.length);
  };
  const tell = (rule: "eval" | "redirect") => (at: number, length: number) => site.reportText(rule, "low", at, at + length);
  if (/location|navigator|document/.test(source)) all("", HANDED, tell("redirect"));
  all(".prototype", POLLUTED, tell("eval"));
  all("view", VIEW, tell("redirect"));
  if (program.hasWith) tell("eval")(Math.max(0, source.search(/\bwith\s*\(/)), 4);
  checkTagNames(site);
  checkNavigator(site);
  checkHalfKeys(site);
}

/** Elements that load or change what others load. */
const TAGS = /^(?:object|embed|applet|portal|fencedframe|frameset)$/;

function checkTagNames(site: Site): void {
  const { program } = site.tracer;
  for (const { node } of program.jsx)
    if (node.name.type === "JSXIdentifier" && TAGS.test(node.name.name)) site.report("external-request", "low", node);
  for (const { node, scope } of program.calls) {
    if (node.type === "ImportExpression") continue;
    const { callee } = node;
    const name = callee.type === "MemberExpression" ? nameOfKey(callee.property) : nameOfKey(callee);
    const [first] = node.arguments;
    if (!/^(?:createElement(?:NS)?|jsxs?)$/.test(name) || first === undefined) continue;
    if (options(evaluate(site.tracer, first, scope, null)).some((one) => one.kind === "constant" && TAGS.test(String(one.value))))
      site.report("external-request", "low", node);
  }
}

/** `navigator[verb](…)`, whatever the verb is. */
function checkNavigator(site: Site): void {
  for (const { node, scope } of site.tracer.program.calls) {
    if (node.type === "ImportExpression") continue;
    const { callee } = node;
    if ((callee.type !== "MemberExpression" && callee.type !== "OptionalMemberExpression") || !callee.computed) continue;
    if (callee.object.type === "Super") continue;
    const owner = evaluate(site.tracer, callee.object, scope, null);
    if (options(owner).some((one) => one.kind === "host" && /^(?:navigator|location|history|document)$/.test(one.path)))
      site.report("external-request", "low", node);
  }
}

/** `el[\`inner${…}\`] = …`, which may be markup. */
function checkHalfKeys(site: Site): void {
  for (const { target, scope, node } of site.tracer.program.memberWrites) {
    if (!target.computed || target.property.type === "StringLiteral" || target.property.type === "NumericLiteral") continue;
    for (const option of options(evaluate(site.tracer, target.property, scope, null))) {
      const { value } = asText(option);
      if (value.includes(HOLE) && /^(?:inner|outer|src)|HTML$|doc$/.test(value)) site.report("script-injection", "low", node);
    }
  }
}
