import type * as t from "@babel/types";
import { nameOfKey } from "../program/patterns.ts";
import { resolve, type Scope } from "../program/scope.ts";
import { evaluate } from "../values/evaluate.ts";
import { memberOf } from "../values/member.ts";
import { asText } from "../values/text.ts";
import { HIDDEN, HOLE, OUTSIDE, options, PRIVATE, REMOTE, type Value } from "../values/value.ts";
import { reachOfText } from "./address.ts";
import { type Tag, tagsOf } from "./html.ts";
import type { Site } from "./site.ts";

/** Attributes that a browser follows or runs as an address. */
const ADDRESSES = new Set([
  "href",
  "src",
  "action",
  "formaction",
  "xlink:href",
  "data",
  "to",
  "from",
  "values",
]);
/** Elements whose `src` or `href` is fetched when it is set, so that an address can carry data away. */
const FETCHED = new Set(["img", "link", "iframe", "audio", "video", "source", "embed", "object", "input"]);

/** `{__html: …}` as React takes it, or the markup itself. */
export function checkInnerHtml(site: Site, value: Value, node: t.Node): void {
  for (const option of options(value)) {
    const held =
      option.kind === "object" || option.kind === "record" ? memberOf(site.tracer, option, "__html") : option;
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
  if (/^(?:\w*[iI]cons|svgs)$/.test(kept)) return;
  const foreign = options(evaluate(site.tracer, source, scope, null)).some(
    (value) => (value.kind === "unknown" || value.kind === "host") && !isMarkupItself(name),
  );
  if (foreign && !isLocal(source, scope)) site.report("script-injection", "low", node);
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
    binding?.definitions.some(({ how }) => how === "value" || how === "compound" || how === "import") ?? false
  );
}

/** Text that becomes part of the page: reports scripts, handlers and redirects in it, and foreign text. */
export function checkMarkup(site: Site, value: Value, node: t.Node): void {
  for (const option of options(value)) {
    const { value: text, taint } = asText(option);
    if (taint & HIDDEN && text.includes(HOLE)) site.report("script-injection", "high", node);
    else if (taint & (REMOTE | OUTSIDE) && text.includes(HOLE))
      site.report("script-injection", "medium", node);
    if (text.includes("<")) checkTags(site, text, taint, node);
  }
}

/** Reports scripts, handlers and redirects in a text of HTML. */
export function checkTags(site: Site, text: string, taint: number, node: t.Node, depth = 0): void {
  for (const tag of tagsOf(text)) {
    if (tag.name === "script" && !isData(tag.attributes.get("type"))) {
      site.report("script-injection", "high", node);
      if (reachOfText(tag.attributes.get("src") ?? "") === "external")
        site.report("external-request", "high", node);
    }
    if (isRefresh(tag)) site.report("redirect", "medium", node);
    if (tag.name === "base" && reachOfText(tag.attributes.get("href") ?? "") === "external") {
      site.report("script-injection", "medium", node);
    }
    for (const [name, held] of tag.attributes) {
      if (/^on[a-z]+$/.test(name) && held.trim() !== "") site.report("script-injection", "high", node);
      if (name === "srcdoc" && depth === 0) checkTags(site, held, taint, node, 1);
      if (!ADDRESSES.has(name)) continue;
      const reach = reachOfText(held);
      if (reach === "code" || (reach === "data" && /^\s*data:text\/html|^\s*data:[^,]*script/i.test(held))) {
        site.report("script-injection", "high", node);
      } else if (reach === "external" && taint & (PRIVATE | HIDDEN) && FETCHED.has(tag.name)) {
        site.report("external-request", "high", node);
      }
    }
  }
}

/** Data that sits in a script element and is never run. */
export function isData(type: string | undefined): boolean {
  return (
    type !== undefined &&
    /json|^text\/(?:template|html|x-)|^x-shader|^importmap$|^speculationrules$|^math\//i.test(type) &&
    !/importmap/i.test(type)
  );
}

function isRefresh(tag: Tag): boolean {
  const equivalent = tag.attributes.get("http-equiv")?.toLowerCase();
  return (
    tag.name === "meta" &&
    equivalent === "refresh" &&
    /url\s*=|;\s*\S/i.test(tag.attributes.get("content") ?? "")
  );
}
