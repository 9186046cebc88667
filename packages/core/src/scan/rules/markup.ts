import type * as t from "@babel/types";
import { pay } from "../interpreter/budget.ts";
import { asText } from "../interpreter/text/text.ts";
import {
  DECODED,
  HIDDEN,
  HOLE,
  OUTSIDE,
  options,
  PRIVATE,
  REMOTE,
  type Value,
} from "../interpreter/value.ts";
import { nameOfKey } from "../program/patterns.ts";
import { resolve, type Scope } from "../program/scope.ts";
import { hidesHost } from "./hidden.ts";
import type { Site } from "./site.ts";
import { judgeTags, type Verdict } from "./tags.ts";

/** What reading a character of markup takes, beside copying it. */
const READING = 16;

/** `{__html: …}` as React takes it, or the markup itself. */
export function checkInnerHtml(site: Site, value: Value, node: t.Node): void {
  for (const option of options(value)) {
    const held =
      option.kind === "object" || option.kind === "record"
        ? site.interpreter.member(option, "__html")
        : option;
    checkMarkup(site, held, node);
  }
}

/** What people call markup that they made or cleaned themselves. */
const TRUSTED = /svg|icon|css|style|saniti|safe|escape|purif|clean|trusted|theme/i;

/**
 * Markup that comes from outside the component as it is: a parameter, a property or an undeclared name. What a call
 * gives back may have been cleaned by it, and passes.
 */
export function checkForeignMarkup(site: Site, source: t.Node, scope: Scope, node: t.Node): void {
  if (isAttribute(source) && !TRUSTED.test(nameOfKey((source as t.CallExpression).arguments[0] as t.Node)))
    site.report("script-injection", "low", node);
  let root = source;
  while (root.type === "MemberExpression" && !root.computed) root = root.object;
  const name = source.type === "MemberExpression" ? nameOfKey(source.property) : nameOfKey(source);
  if ((root.type !== "Identifier" && root.type !== "ThisExpression") || TRUSTED.test(name)) return;
  if (source.type === "MemberExpression" && source.computed) return;
  // `icons.handle`: one of several that are kept together.
  const group =
    source.type === "MemberExpression" && source.object.type !== "ThisExpression" ? source.object : null;
  const kept =
    group?.type === "MemberExpression" ? nameOfKey(group.property) : group === null ? "" : nameOfKey(group);
  if (kept === "svgs" || kept.endsWith("icons") || kept.endsWith("Icons")) return;
  const foreign = options(site.interpreter.evaluate(source, scope, null)).some(
    (value) => (value.kind === "unknown" || value.kind === "host") && !isMarkupItself(name),
  );
  if (foreign && !isLocal(source, scope)) site.report("script-injection", "low", node);
}

/** `el.getAttribute("…")`, which cleans nothing. */
function isAttribute(source: t.Node): boolean {
  return (
    source.type === "CallExpression" &&
    source.arguments.length === 1 &&
    source.callee.type === "MemberExpression" &&
    nameOfKey(source.callee.property) === "getAttribute"
  );
}

/** Markup that the page already has: `a.innerHTML = b.innerHTML`. */
function isMarkupItself(name: string): boolean {
  return name === "innerHTML" || name === "outerHTML" || name === "textContent";
}

/** A name that the file itself fills, from a call for instance. */
function isLocal(source: t.Node, scope: Scope): boolean {
  if (source.type !== "Identifier") return false;
  const binding = resolve(scope, source.name);
  return (
    binding?.definitions.some(
      (one) =>
        one.how === "value" ||
        one.how === "compound" ||
        one.how === "import" ||
        // React's state.
        (one.how === "item" && one.from.how === "value"),
    ) ?? false
  );
}

/** Text that becomes part of the page: reports scripts, handlers and redirects in it, and foreign text. */
export function checkMarkup(site: Site, value: Value, node: t.Node): void {
  for (const option of options(value)) {
    const { value: text, taint } = asText(option);
    if (taint & (HIDDEN | DECODED) && text.includes(HOLE)) site.report("script-injection", "high", node);
    else if (taint & (REMOTE | OUTSIDE) && text.includes(HOLE))
      site.report("script-injection", "medium", node);
    if (text.includes("<")) checkTags(site, text, taint, node);
  }
}

/** Reports scripts, handlers and redirects in a text of HTML. */
export function checkTags(site: Site, text: string, taint: number, node: t.Node): void {
  for (const [rule, severity] of verdictsOf(site, text, taint & (PRIVATE | HIDDEN | DECODED))) {
    site.report(rule, severity, node);
  }
}

/** What is to be said of a text of HTML, worked out once: the same text may be written at thousands of places. */
function verdictsOf(site: Site, text: string, taint: number): readonly Verdict[] {
  const read = site.markup.get(taint) ?? new Map<string, readonly Verdict[]>();
  site.markup.set(taint, read);
  let verdicts = read.get(text);
  if (verdicts === undefined) {
    // Reading markup takes many times what copying it takes; what is not read may hold anything.
    verdicts = pay(READING * text.length)
      ? judgeTags(text, taint, (address) => hidesHost(site, address, taint))
      : [["script-injection", "high"]];
    read.set(text, verdicts);
  }
  return verdicts;
}
