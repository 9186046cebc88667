import type * as t from "@babel/types";
import { charge, startLocation } from "../../interpreter/budget.ts";
import type { RareNameUse } from "../../program/program.ts";
import { rareName } from "../../program/rare-names.ts";
import { resolve } from "../../program/scope.ts";
import type { Rule, RuleContext } from "../rule.ts";
import { isPlainWord } from "./plain-words.ts";

/** Characters of the source around a name that are read. */
const CONTEXT_LENGTH = 80;

/** The code around a name that is only tested for existence or compared. */
const COMPARED_BEFORE =
  /(?:\btypeof\s+\(?|[!=]==?\s*|\bcase\s+|\binstanceof\s+)(?:\(?[\w$]+(?:\s+as\s+\w+\)?)?[!?]?\s*\??\.\s*)*["'`]?$/;
const COMPARED_AFTER =
  /^["'`]?\)?\s*(?:\[[^\]]*\]|\.\s*\w+(?:\(\))?)?\s*(?:[!=]==?|\bin\b|\binstanceof\b|:(?!:))/;
/** The code before a member that a condition tests: `if (x.y)`, `!x.y`. */
const CONDITION_BEFORE = /\b(?:if|while)\s*\(\s*!?(?:\w+\??\.)*$|!(?:\w+\??\.)*$/;

/** `{ open } = window`. */
const DESTRUCTURED_GLOBAL =
  /^[^;={}]*(?:=[^;={}]*)?\}\s*=\s*\(?(?:window|globalThis|self|top|parent|document|navigator|(?:window\.)?location)\b/;
/** The code around a name that is called, constructed or read from directly. */
const USED = /^\s*(?:as\s+[\w.]+\s*\)\s*)?(?:[(.`[<]|\?\.)/;
const CONSTRUCTED_OR_TESTED = /(?:\bnew|\bin)\s+\(?(?:[\w$]+(?:\s+as\s+\w+\))?\.)*$/;

const DOCUMENT = /(?:^|\W)(?:document|doc|ownerDocument|root|page)(?:\s+as\s+\w+)?[)!?\s]*$/i;
const WINDOWS =
  /(?:^|\W)(?:window|globalThis|self|top|parent|defaultView|contentWindow|win|view)(?:\s+as\s+\w+)?[)!?\s]*$/;

/** Names that ordinary components hardly ever write; the row of each states its finding. */
export const rareNames: Rule = {
  id: "hidden-text",
  severity: "low",
  onFile(context) {
    startLocation();
    for (const mention of context.interpreter.program.rare) checkRare(context, mention);
  },
};

/** Reports a rare name, where its kind of position counts and the file does not define it. */
function checkRare(context: RuleContext, mention: RareNameUse): void {
  const { node, name, how, scope } = mention;
  const rare = rareName(name);
  if (rare === undefined) return;
  const { source } = context;
  const [start, end] = [node.start ?? 0, node.end ?? 0];
  const object = ownerOf(node, source);
  // `document` and `window` may be variables of the file.
  if (how === "member" && isBound(mention) && !rare.at.includes("m")) return;
  const counts = (kind: string) => rare.at.includes(kind);
  if (how === "name") {
    if (!counts("g") && !(counts("v") && isUsedAsValue(source, start, end))) return;
    if (resolve(scope, name) !== null) return;
  } else if (how === "member") {
    const isMember =
      counts("m") ||
      (counts("d") && DOCUMENT.test(object)) ||
      ((counts("w") || counts("g")) && WINDOWS.test(object)) ||
      (counts("v") && WINDOWS.test(object) && isUsedAsValue(source, start, end)) ||
      (counts("y") && /\bSymbol\s*$/.test(object)) ||
      (counts("r") && /Reflect[)!?\s]*$/.test(object)) ||
      (counts("n") && /navigator[)!?\s]*$/.test(object));
    if (!isMember) return;
  } else if (how === "key") {
    const isDocument =
      counts("K") && /document\b[^;]*$/i.test(source.slice(Math.max(0, start - CONTEXT_LENGTH), start));
    const isPage = counts("W") && DESTRUCTURED_GLOBAL.test(source.slice(end, end + CONTEXT_LENGTH));
    if (!counts("k") && !counts("m") && !isDocument && !isPage) return;
  } else if (how === "method") {
    if (!counts("f") && !counts("o")) return;
  } else if (how === "property") {
    if (!counts("o")) return;
  } else if (!counts("s")) return;
  const before = source.slice(
    Math.max(0, start - CONTEXT_LENGTH),
    how === "member" ? end - name.length : start,
  );
  const after = source.slice(end, end + CONTEXT_LENGTH);
  if (COMPARED_BEFORE.test(before) || COMPARED_AFTER.test(after)) {
    if (how !== "key" && how !== "property" && how !== "method") return;
  }
  if (how === "member" && CONDITION_BEFORE.test(before) && !/^\s*[(.[]/.test(after)) return;
  if (how === "text" && (isOnlyCompared(context, before) || IN_LIST.test(after))) return;
  if (how === "text" && isPlainWord(context, name)) return;
  // A load from the same site.
  if (/^\s*\??\.\s*\w+\(\s*["'`]\.{0,2}\/[^/]/.test(after)) return;
  if (
    name === "construct" &&
    /getPrototypeOf\(\w+\)\.constructor\)|^\(\s*(?:Boolean|String|Date)\b|new\.?[tT]arget/i.test(after)
  )
    return;
  if (name === "execCommand" && /^\(\s*["'`](?!insertHTML|createLink|insertImage)/i.test(after)) return;
  if (name === "srcDoc" && how === "property" && !/^srcDoc=\{\s*[\w.]+\s*\}/.test(source.slice(start, end)))
    return;
  // Error classes of the file, and an object that gets the prototype of another object.
  if (name === "setPrototypeOf" && /^\s*\(\s*(?:this\b|\w+\s*,\s*Object\.getPrototypeOf\()/.test(after))
    return;
  // A function that is used as a class.
  if (
    name === "setPrototypeOf" &&
    /^\(\s*(\w+),\s*(\w+)\s*\);?\s*\1\.prototype\s*=\s*\2\.prototype\b/.test(after)
  )
    return;
  // Stored under its own name, whose members are checked.
  if (name === "navigator" && /\bnavigator\s*=\s*(?:window\.)?$/.test(before)) return;
  // One of the strings that a type is built from.
  if (how === "text" && /^\s*as const\s*,/.test(after)) return;
  if (name === "iterator" && (/\*\s*\[\s*Symbol\.$/.test(before) || /^\]\(\)/.test(after))) return;
  // An element is tested for this mark before its other properties are read.
  if (name === "$$typeof" && /^\s*&&/.test(after)) return;
  // A header of a request that a server received.
  if (name === "cookie" && how === "text" && /\b\w*headers\??\.(?:get|has)\(\s*$/i.test(before)) return;
  // A test, a proxy trap that passes its arguments on, and a member with a literal name.
  if (name === "Reflect" && ORDINARY_REFLECT.test(after)) return;
  if (name === "Proxy" && how === "name" && ORDINARY_PROXY.test(after)) return;
  // A function for requests that callers may replace.
  if (name === "fetch" && /\bfetch\s*:\s*\w+\s*=\s*$|[{,]\s*fetch\s*=\s*$/.test(before)) return;
  // The output of compilers for `super()`.
  if (name === "Reflect" && /^\s*(?:\.\s*construct\b|\)?\s*\|\||&&)/.test(after)) return;
  if (name === "constructor" && /Reflect\.construct\([^()]*,[^()]*getPrototypeOf\(\w+\)\.$/.test(before))
    return;
  if (name === "constructor" && how === "member" && isOrdinaryConstructor(object, after)) return;
  if (name === "getOwnPropertyNames" && /^\s*\(\s*\w*(?:e|err|error|reason)\s*\)/i.test(after)) return;
  context.report(rare.rule, rare.severity, node);
}

/** Whether a global of the page is stored or passed on, and not called directly. */
function isUsedAsValue(source: string, start: number, end: number): boolean {
  const before = source.slice(Math.max(0, start - CONTEXT_LENGTH), start);
  return (
    !USED.test(source.slice(end, end + CONTEXT_LENGTH)) &&
    !before.endsWith("!") &&
    !CONSTRUCTED_OR_TESTED.test(before)
  );
}

/** Ordinary uses of `Reflect`. A member that is read under an unknown name is a finding where it is called. */
const ORDINARY_REFLECT = /^\s*\.\s*(?:has\(|get\(\s*\w+\s*,\s*(?:\w+\s*,\s*\w+|"\w+"|'\w+')\s*,?\s*\))/;

/** A proxy of an object of the file's own. */
const ORDINARY_PROXY =
  /^\s*\(\s*(?!(?:window|globalThis|self|top|parent|document|location|navigator|history|fetch|eval|localStorage|sessionStorage|console|JSON)\b|async\b|function\b|class\b|\(|[\w.]*\b(?:prototype|fetch|eval)\b|[A-Z])/;

/** The code before a string that is looked up, compared or used as a description. */
const LOOKED_UP =
  /(?:\b(?:createElement|createElementNS|querySelector|querySelectorAll|getElementsByTagName|closest|matches|has|hasOwn|hasOwnProperty|includes|indexOf|describe|it|test|call)\(\s*(?:[\w$]+,\s*)?)$/;
const LISTED = /\b(\w+)\s*(?::[^=;{}]*)?=\s*(?:new Set\(\s*)?\[[^\]]*$/;
const IN_LIST = /^[^[\]]{0,60}\]\s*\.\s*(?:includes|indexOf)\(/;
const IN_ENUM = /\benum\s+\w+\s*\{[^}]*$/;

/** Whether a string is only used to search or compare. */
function isOnlyCompared({ source }: RuleContext, before: string): boolean {
  if (LOOKED_UP.test(before) || IN_ENUM.test(before)) return true;
  const [, list] = LISTED.exec(before) ?? [];
  return (
    list !== undefined &&
    charge(source.length) &&
    new RegExp(`\\b${list}\\.(?:includes|has|indexOf)\\(`).test(source)
  );
}

/** The source text before the dot. */
function ownerOf(node: t.Node, source: string): string {
  if (node.type !== "MemberExpression" && node.type !== "OptionalMemberExpression") return "";
  const end = node.object.end ?? 0;
  return source.slice(Math.max(node.object.start ?? 0, end - CONTEXT_LENGTH), end);
}

function isBound({ node, scope }: RareNameUse): boolean {
  if (node.type !== "MemberExpression" && node.type !== "OptionalMemberExpression") return false;
  return node.object.type === "Identifier" && resolve(scope, node.object.name) !== null;
}

/** `this.constructor.defaults`, `x.constructor.name`, `new this.constructor()`. */
function isOrdinaryConstructor(object: string, after: string): boolean {
  if (/^[)!\s]*\??\.\s*name\b/.test(after)) return true;
  if (/^\s*as\s+(?:typeof\b|[A-Z])/.test(after)) return !/^(?:\(?\s*(?:function|\(\)|\[))/.test(object);
  // Of a variable it is a class; of a member it may be `Function`.
  if (/^\s*as\s+(?:any\b|unknown\b)/.test(after)) return /^(?:this\b|self\b|[\w$]+$)/.test(object);
  return /\b(?:this|self)\)?$/.test(object);
}
