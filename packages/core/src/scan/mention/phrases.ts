import type { ScanRule } from "../finding.ts";
import { refuel } from "../interpreter/budget.ts";
import { asText } from "../interpreter/text/text.ts";
import { HOLE, options } from "../interpreter/value.ts";
import { nameOfKey } from "../program/patterns.ts";
import { RARE } from "../program/rare-names.ts";
import type { Site } from "../rules/site.ts";
import { COOKIES, hasAdrift } from "../rules/traces.ts";

/** What objects that pass for elements of React are told by. */
const ELEMENT = /\breact\.(?:transitional\.)?element\b/;
/** Texts that are programs or markup which runs them. */
const PROGRAM =
  /\bdocument\.cookie\b|[\s"'/]on(?:error|load|begin|toggle|click|focus)\s*=\s*["']?\w[\w.]*\(|\breturn (?:eval|fetch)\(|dangerouslySetInnerHTML["']?\s*:/;
/** Texts that are written for people say such things among other words. */
const PROSE = /\b(?:[A-Za-z]{1,20}[,.]? ){5}/;
/** Names in a row, which are to be taken apart. */
const NAMES = /^[\w$]{2,30}(?:[,|;:/~-][\w$]{2,30}){1,40}$/;
/** A function of `location` or of the browser that is handed on. */
const HANDED =
  /\b(?:location\s*(?:\??\.\s*|\[["'`])(?:assign|replace)|navigator\s*(?:\??\.\s*|\[["'`])sendBeacon|document\s*(?:\??\.\s*|\[["'`])(?:write|writeln|open))\b(?:["'`]\])?(?!\s*(?:\(|\?\.\(|[!=]==|=[^=>]|&&|\?[^.]|\)\s*\{|\)\s*return|\w|["'`]|<\/))/g;
/** Members that are added to what everything is made from. */
const POLLUTED =
  /\b(?:Object|Array|String|Number|Function|RegExp|Promise|Map|Set|Node|Element|HTMLElement|EventTarget|Event|Date|Boolean|Symbol)\.prototype(?:\s+as\s+\w+\s*\)?|\))?\s*(?:\.\s*\w+|\[[^\]]{1,80}\])\s*(?:\?\?|\|\|)?=(?!=)/g;
/** The window that a click stands for. */
const VIEW =
  /\b(?:nativeEvent|event|evt|ev|e)\s*(?:!|\?)?(?:as\s+\w+\))?\.\s*view\b|\bnativeEvent\s*:\s*\{[^}]{0,80}\bview\b|Event\s*\)\.view\b/g;
/** Styles that load something for one value of an attribute. */
const CHOSEN =
  /\[[\w-]+[\^$*|~]=[^\]]{0,40}\][^{}]{0,80}\{[^}]{0,200}url\(|@font-face[^}]{0,300}unicode-range[^}]{0,300}url\(\s*["']?(?:https?:)?\/\/|url\(\s*["']?(?:https?:)?\/\/[^}]{0,300}unicode-range/i;

/** The same in a text with parts that are not told. */
const CHOSEN_BY = /\[[\w-]+[\^$*|~]=["'$][^\n\]]{0,60}\][^\n]{0,100}url\(\s*["']?(?:https?:)?\/\//g;
/** Timers that get their arguments by another way than a call. */
const TIMER = /\bset(?:Timeout|Interval)\s*\.\s*(?:apply|call|bind)\(/g;
/** Letters that are picked from a table by numbers. */
const PICKED =
  /\.map\(\s*\(?\s*(\w{1,30})[^()=]{0,60}\)?\s*=>\s*\w+(?:\[\s*\1[^\]]{0,20}\]|\.(?:charAt|at)\(\s*\1[^)]{0,20}\))\s*\)\s*\.join\(\s*(?:""|\x27\x27|``)\s*\)/g;
/** Elements that are the page's own, looked up so as to be changed. */
const OWNED =
  /\b(?:querySelector(?:All)?|getElementsByTagName)\(\s*["'`](?:base|object|embed)(?![\w-])[^"'`]{0,40}["'`]\s*\)/g;
/** All cookies, handed to something. */
const SENT =
  /\b(?:send|sendBeacon|postMessage|fetch|append|write|set|push)\((?:[^()]|\([^()]*\)){0,80}\bdocument\.cookie\b(?!\s*\.)/g;

/** Places that tell what they do by how they are written. */
export function checkPhrases(site: Site): void {
  const { source, interpreter } = site;
  const { program } = interpreter;
  for (const { node, value } of program.literals) {
    if (ELEMENT.test(value)) site.report("script-injection", "medium", node);
    else if (value.length < 4096 && PROGRAM.test(value) && !PROSE.test(value))
      site.report("eval", "low", node);
    else if (NAMES.test(value) && value.split(/[^\w$]+/).some((name) => RARE.get(name)?.at.includes("s")))
      site.report("hidden-text", "low", node);
    else if (CHOSEN.test(value)) site.report("external-request", "low", node);
  }
  const all = (word: string, pattern: RegExp, say: (at: number, length: number) => void) => {
    if (source.includes(word))
      for (const { index, 0: found } of source.matchAll(pattern)) say(index, found.length);
  };
  const tell = (rule: ScanRule) => (at: number, length: number) =>
    site.reportText(rule, "low", at, at + length);
  if (
    ["location.", "location[", "sendBeacon", "document.write", "document.open"].some((one) =>
      source.includes(one),
    )
  )
    all("", HANDED, tell("redirect"));
  all(".prototype", POLLUTED, tell("eval"));
  if (source.includes(".view") || source.includes("nativeEvent")) all("", VIEW, tell("redirect"));
  all("setTimeout.", TIMER, tell("eval"));
  all("setInterval.", TIMER, tell("eval"));
  all(".join(", PICKED, tell("hidden-text"));
  all("querySelector", OWNED, tell("script-injection"));
  all("document.cookie", SENT, tell("external-request"));
  if (program.kept && COOKIES.test(source) && hasAdrift(source))
    tell("external-request")(Math.max(0, source.search(COOKIES)), "document.cookie".length);
  if (source.includes("url(")) all("=", CHOSEN_BY, tell("external-request"));
  if (program.hasWith) tell("eval")(Math.max(0, source.search(/\bwith\s*\(/)), 4);
  checkTagNames(site);
  checkNavigator(site);
  checkHalfKeys(site);
}

/** Elements that load or change what others load. */
const TAGS = /^(?:object|embed|applet|portal|fencedframe|frameset)$/;

function checkTagNames(site: Site): void {
  const { program } = site.interpreter;
  for (const { node } of program.jsx)
    if (node.name.type === "JSXIdentifier" && TAGS.test(node.name.name))
      site.report("external-request", "low", node);
  for (const { node, scope } of program.calls) {
    if (node.type === "ImportExpression") continue;
    refuel();
    const { callee } = node;
    const name = callee.type === "MemberExpression" ? nameOfKey(callee.property) : nameOfKey(callee);
    const [first] = node.arguments;
    if (!/^(?:createElement(?:NS)?|jsxs?)$/.test(name) || first === undefined) continue;
    if (
      options(site.interpreter.evaluate(first, scope, null)).some(
        (one) => one.kind === "constant" && TAGS.test(String(one.value)),
      )
    )
      site.report("external-request", "low", node);
  }
}

/** `navigator[verb](…)`, whatever the verb is. */
function checkNavigator(site: Site): void {
  for (const { node, scope } of site.interpreter.program.calls) {
    if (node.type === "ImportExpression") continue;
    const { callee } = node;
    if (
      (callee.type !== "MemberExpression" && callee.type !== "OptionalMemberExpression") ||
      !callee.computed
    )
      continue;
    if (callee.object.type === "Super") continue;
    refuel();
    const owner = site.interpreter.evaluate(callee.object, scope, null);
    if (
      options(owner).some(
        (one) => one.kind === "host" && /^(?:navigator|location|history|document)$/.test(one.path),
      )
    )
      site.report("external-request", "low", node);
  }
}

/** `el[\`inner${…}\`] = …`, which may be markup. */
function checkHalfKeys(site: Site): void {
  for (const { target, scope, node } of site.interpreter.program.memberWrites) {
    if (
      !target.computed ||
      target.property.type === "StringLiteral" ||
      target.property.type === "NumericLiteral"
    )
      continue;
    refuel();
    for (const option of options(site.interpreter.evaluate(target.property, scope, null))) {
      const { value } = asText(option);
      if (value.includes(HOLE) && /^(?:inner|outer|src)|HTML$|doc$/.test(value))
        site.report("script-injection", "low", node);
    }
  }
}
