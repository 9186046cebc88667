import type * as t from "@babel/types";
import { pay, refuel } from "../../interpreter/budget.ts";
import type { Mention } from "../../program/program.ts";
import { rareName } from "../../program/rare-names.ts";
import { resolve } from "../../program/scope.ts";
import type { Rule, RuleContext } from "../rule.ts";
import { isWord } from "./words.ts";

/** How much of the source around a name is read. */
const AROUND = 80;

/** What only asks whether there is such a thing, or compares with it. */
const ASKED_BEFORE =
  /(?:\btypeof\s+\(?|[!=]==?\s*|\bcase\s+|\binstanceof\s+)(?:\(?[\w$]+(?:\s+as\s+\w+\)?)?[!?]?\s*\??\.\s*)*["'`]?$/;
const ASKED_AFTER =
  /^["'`]?\)?\s*(?:\[[^\]]*\]|\.\s*\w+(?:\(\))?)?\s*(?:[!=]==?|\bin\b|\binstanceof\b|:(?!:))/;
/** What is asked for together with what it holds: `"x" in window && …`, `if (x.y)`. */
const TESTED_BEFORE = /\b(?:if|while)\s*\(\s*!?(?:\w+\??\.)*$|!(?:\w+\??\.)*$/;

/** `{ open } = window`. */
const TAKEN =
  /^[^;={}]*(?:=[^;={}]*)?\}\s*=\s*\(?(?:window|globalThis|self|top|parent|document|navigator|(?:window\.)?location)\b/;
/** What is called, made or read a member of where it stands. */
const USED = /^\s*(?:as\s+[\w.]+\s*\)\s*)?(?:[(.`[<]|\?\.)/;
const MADE = /(?:\bnew|\bin)\s+\(?(?:[\w$]+(?:\s+as\s+\w+\))?\.)*$/;

const DOCUMENT = /(?:^|\W)(?:document|doc|ownerDocument|root|page)(?:\s+as\s+\w+)?[)!?\s]*$/i;
const WINDOWS =
  /(?:^|\W)(?:window|globalThis|self|top|parent|defaultView|contentWindow|win|view)(?:\s+as\s+\w+)?[)!?\s]*$/;

/** Names that ordinary components hardly ever write; the row of each says what it is a finding of. */
export const rareNames: Rule = {
  id: "hidden-text",
  severity: "low",
  onFile(context) {
    refuel();
    for (const mention of context.interpreter.program.rare) checkRare(context, mention);
  },
};

/** A rare name, where its kind of place counts and the file means no thing of its own by it. */
function checkRare(context: RuleContext, mention: Mention): void {
  const { node, name, how, scope } = mention;
  const rare = rareName(name);
  if (rare === undefined) return;
  const { source } = context;
  const [start, end] = [node.start ?? 0, node.end ?? 0];
  const object = ownerOf(node, source);
  // `document` and `window` may be names of the file's own.
  if (how === "member" && isBound(mention) && !rare.at.includes("m")) return;
  const counts = (kind: string) => rare.at.includes(kind);
  if (how === "name") {
    if (!counts("g") && !(counts("v") && isKept(source, start, end))) return;
    if (resolve(scope, name) !== null) return;
  } else if (how === "member") {
    const isMember =
      counts("m") ||
      (counts("d") && DOCUMENT.test(object)) ||
      ((counts("w") || counts("g")) && WINDOWS.test(object)) ||
      (counts("v") && WINDOWS.test(object) && isKept(source, start, end)) ||
      (counts("y") && /\bSymbol\s*$/.test(object)) ||
      (counts("r") && /Reflect[)!?\s]*$/.test(object)) ||
      (counts("n") && /navigator[)!?\s]*$/.test(object));
    if (!isMember) return;
  } else if (how === "key") {
    const isDocument =
      counts("K") && /document\b[^;]*$/i.test(source.slice(Math.max(0, start - AROUND), start));
    const isPage = counts("W") && TAKEN.test(source.slice(end, end + AROUND));
    if (!counts("k") && !counts("m") && !isDocument && !isPage) return;
  } else if (how === "method") {
    if (!counts("f") && !counts("o")) return;
  } else if (how === "property") {
    if (!counts("o")) return;
  } else if (!counts("s")) return;
  const before = source.slice(Math.max(0, start - AROUND), how === "member" ? end - name.length : start);
  const after = source.slice(end, end + AROUND);
  if (ASKED_BEFORE.test(before) || ASKED_AFTER.test(after)) {
    if (how !== "key" && how !== "property" && how !== "method") return;
  }
  if (how === "member" && TESTED_BEFORE.test(before) && !/^\s*[(.[]/.test(after)) return;
  if (how === "text" && (isAsked(context, before) || IN_LIST.test(after))) return;
  if (how === "text" && isWord(context, name)) return;
  // What is loaded from the same site.
  if (/^\s*\??\.\s*\w+\(\s*["'`]\.{0,2}\/[^/]/.test(after)) return;
  if (
    name === "construct" &&
    /getPrototypeOf\(\w+\)\.constructor\)|^\(\s*(?:Boolean|String|Date)\b|new\.?[tT]arget/i.test(after)
  )
    return;
  if (name === "execCommand" && /^\(\s*["'`](?!insertHTML|createLink|insertImage)/i.test(after)) return;
  if (name === "srcDoc" && how === "property" && !/^srcDoc=\{\s*[\w.]+\s*\}/.test(source.slice(start, end)))
    return;
  // Errors that are a class of their own, and loops over what a class holds.
  if (name === "setPrototypeOf" && /^\s*\(\s*(?:this\b|\w+\s*,\s*Object\.getPrototypeOf\()/.test(after))
    return;
  // A function that stands for a class.
  if (
    name === "setPrototypeOf" &&
    /^\(\s*(\w+),\s*(\w+)\s*\);?\s*\1\.prototype\s*=\s*\2\.prototype\b/.test(after)
  )
    return;
  // Kept under its own name, whose members are looked at.
  if (name === "navigator" && /\bnavigator\s*=\s*(?:window\.)?$/.test(before)) return;
  // One of the texts that a type is made of.
  if (how === "text" && /^\s*as const\s*,/.test(after)) return;
  if (name === "iterator" && (/\*\s*\[\s*Symbol\.$/.test(before) || /^\]\(\)/.test(after))) return;
  // What a part is tested for, before more is asked of it.
  if (name === "$$typeof" && /^\s*&&/.test(after)) return;
  // What a server is sent.
  if (name === "cookie" && how === "text" && /\b\w*headers\??\.(?:get|has)\(\s*$/i.test(before)) return;
  // A question, what a trap of a proxy hands on, and a member under a name that is written out.
  if (name === "Reflect" && REFLECTED.test(after)) return;
  if (name === "Proxy" && how === "name" && ORDINARY_PROXY.test(after)) return;
  // A function for requests that callers may put another in place of.
  if (name === "fetch" && /\bfetch\s*:\s*\w+\s*=\s*$|[{,]\s*fetch\s*=\s*$/.test(before)) return;
  // What compilers make of `super()`.
  if (name === "Reflect" && /^\s*(?:\.\s*construct\b|\)?\s*\|\||&&)/.test(after)) return;
  if (name === "constructor" && /Reflect\.construct\([^()]*,[^()]*getPrototypeOf\(\w+\)\.$/.test(before))
    return;
  if (name === "constructor" && how === "member" && isOrdinaryConstructor(object, after)) return;
  if (name === "getOwnPropertyNames" && /^\s*\(\s*\w*(?:e|err|error|reason)\s*\)/i.test(after)) return;
  context.report(rare.rule, rare.severity, node);
}

/** Whether something of the page is kept or handed on, and not called where it stands. */
function isKept(source: string, start: number, end: number): boolean {
  const before = source.slice(Math.max(0, start - AROUND), start);
  return !USED.test(source.slice(end, end + AROUND)) && !before.endsWith("!") && !MADE.test(before);
}

/** Under a name that is not known, what is read is a finding where it is called. */
const REFLECTED = /^\s*\.\s*(?:has\(|get\(\s*\w+\s*,\s*(?:\w+\s*,\s*\w+|"\w+"|'\w+')\s*,?\s*\))/;

/** A proxy of an object of the file's own. */
const ORDINARY_PROXY =
  /^\s*\(\s*(?!(?:window|globalThis|self|top|parent|document|location|navigator|history|fetch|eval|localStorage|sessionStorage|console|JSON)\b|async\b|function\b|class\b|\(|[\w.]*\b(?:prototype|fetch|eval)\b|[A-Z])/;

/** What a text is looked up in, compared with or described by. */
const LOOKED_UP =
  /(?:\b(?:createElement|createElementNS|querySelector|querySelectorAll|getElementsByTagName|closest|matches|has|hasOwn|hasOwnProperty|includes|indexOf|describe|it|test|call)\(\s*(?:[\w$]+,\s*)?)$/;
const LISTED = /\b(\w+)\s*(?::[^=;{}]*)?=\s*(?:new Set\(\s*)?\[[^\]]*$/;
const IN_LIST = /^[^[\]]{0,60}\]\s*\.\s*(?:includes|indexOf)\(/;
const IN_ENUM = /\benum\s+\w+\s*\{[^}]*$/;

/** Whether a text is only there to be looked for. */
function isAsked({ source }: RuleContext, before: string): boolean {
  if (LOOKED_UP.test(before) || IN_ENUM.test(before)) return true;
  const [, list] = LISTED.exec(before) ?? [];
  return (
    list !== undefined &&
    pay(source.length) &&
    new RegExp(`\\b${list}\\.(?:includes|has|indexOf)\\(`).test(source)
  );
}

/** What stands before the dot. */
function ownerOf(node: t.Node, source: string): string {
  if (node.type !== "MemberExpression" && node.type !== "OptionalMemberExpression") return "";
  const end = node.object.end ?? 0;
  return source.slice(Math.max(node.object.start ?? 0, end - AROUND), end);
}

function isBound({ node, scope }: Mention): boolean {
  if (node.type !== "MemberExpression" && node.type !== "OptionalMemberExpression") return false;
  return node.object.type === "Identifier" && resolve(scope, node.object.name) !== null;
}

/** `this.constructor.defaults`, `x.constructor.name`, `new this.constructor()`. */
function isOrdinaryConstructor(object: string, after: string): boolean {
  if (/^[)!\s]*\??\.\s*name\b/.test(after)) return true;
  if (/^\s*as\s+(?:typeof\b|[A-Z])/.test(after)) return !/^(?:\(?\s*(?:function|\(\)|\[))/.test(object);
  // Of what a name holds it is a class, of a member it may be what makes functions.
  if (/^\s*as\s+(?:any\b|unknown\b)/.test(after)) return /^(?:this\b|self\b|[\w$]+$)/.test(object);
  return /\b(?:this|self)\)?$/.test(object);
}
