import type * as t from "@babel/types";
import { nameOf } from "../interpreter/core/definition.ts";
import { namesOf } from "../interpreter/members/objects.ts";
import { asText, taintOf } from "../interpreter/text/text.ts";
import { constant, isText, options, PRIVATE, UNKNOWN, type Value } from "../interpreter/value.ts";
import { nameOfKey } from "../program/patterns.ts";
import { resolve, type Scope } from "../program/scope.ts";
import { reachOf, reachOfText } from "./address.ts";
import { handTo } from "./calls.ts";
import { checkShown, isLoading } from "./hidden.ts";
import { checkLink } from "./injection.ts";
import { checkInnerHtml, checkMarkup } from "./markup.ts";
import { isRefresh, writtenAs } from "./redirect.ts";
import { checkBase, checkStyle } from "./request.ts";
import type { Site } from "./site.ts";
import { isData } from "./tags.ts";
import { checkBeacon, checkPreload } from "./unseen.ts";

/** Attributes that a rule looks at, besides handlers. */
const WATCHED = new Set(
  "href src action formAction formaction ping xlinkHref xlink:href data srcDoc srcdoc dangerouslySetInnerHTML innerHTML poster srcSet srcset imageSrcSet style values to from by".split(
    " ",
  ),
);

/** What an SVG animation puts into an attribute. */
const ANIMATED = new Set(["values", "to", "from", "by"]);

/** An element written as JSX. What it shows (images, links, frames of other hosts) is content, not a request. */
export function checkJsx(site: Site, node: t.JSXOpeningElement, scope: Scope): void {
  if (node.name.type === "JSXMemberExpression") {
    checkKeptTag(site, node, node.name, scope);
    return;
  }
  if (node.name.type !== "JSXIdentifier") return;
  const tag = node.name.name;
  // A component of the file's own or of a library decides itself what its properties mean.
  if (!/^[a-z]/.test(tag)) {
    checkNamedTag(site, node, scope);
    return;
  }
  checkElement(site, node, tag, scope);
}

function checkElement(site: Site, node: t.JSXOpeningElement, tag: string, scope: Scope): void {
  for (const attribute of node.attributes) {
    if (attribute.type === "JSXSpreadAttribute") {
      checkSpread(site, tag, attribute, scope);
      continue;
    }
    if (!attribute.value) continue;
    const name = nameOfAttribute(attribute);
    if (!isHandlerName(name) && !WATCHED.has(name)) continue;
    const { value } = attribute;
    if (value.type === "JSXExpressionContainer" && value.expression.type.endsWith("FunctionExpression"))
      continue;
    checkAttribute(site, tag, name, attributeValue(site, attribute, scope), attribute);
  }
  if (tag === "script" || tag === "meta") checkHead(site, node, scope);
  if (tag === "a" || tag === "area") checkClicked(site, node, scope);
  if (tag === "link") checkPreload(site, (name) => heldBy(site, node, name, scope), node);
  if (SHOWING.has(tag)) checkBeacon(site, (name) => heldBy(site, node, name, scope), node);
  if (tag === "form") noteForm(site, node, scope);
}

function isHandlerName(name: string): boolean {
  return (
    (name.startsWith("on") || name.startsWith("On") || name.startsWith("ON") || name.startsWith("oN")) &&
    /^on[a-z]/i.test(name)
  );
}

/** `<a {...{ href }} />`: what an object of the file brings. */
function checkSpread(site: Site, tag: string, node: t.JSXSpreadAttribute, scope: Scope): void {
  for (const option of options(site.interpreter.evaluate(node.argument, scope, null))) {
    for (const key of namesOf(site.interpreter, option)) {
      if (tag === "meta" && isRefresh(key, site.interpreter.member(option, key)))
        site.report("redirect", "medium", node);
      if (key !== "dangerouslySetInnerHTML" && (WATCHED.has(key) || /^on[a-z]/i.test(key)))
        checkAttribute(site, tag, key, site.interpreter.member(option, key), node);
    }
  }
}

/** Elements that ask for what they show. */
const SHOWING = new Set(["img", "iframe", "embed", "object", "video", "audio"]);

/** What an element has under a name, as it is written. */
function heldBy(site: Site, node: t.JSXOpeningElement, name: string, scope: Scope): Value | undefined {
  const attribute = attributeOf(node, name);
  if (attribute !== undefined) return attributeValue(site, attribute, scope);
  for (const spread of node.attributes) {
    if (spread.type !== "JSXSpreadAttribute") continue;
    for (const option of options(site.interpreter.evaluate(spread.argument, scope, null)))
      if (namesOf(site.interpreter, option).includes(name)) return site.interpreter.member(option, name);
  }
  return undefined;
}

/** Components of libraries that show what they are given the address of. */
const PICTURES = /(?:Image|Img|Picture|Avatar|Video|Audio)$/;

/** `const Tag = "script"; <Tag />`. */
function checkNamedTag(site: Site, node: t.JSXOpeningElement, scope: Scope): void {
  const name = nameOfKey(node.name);
  if (PICTURES.test(name)) {
    for (const attribute of node.attributes)
      if (attribute.type === "JSXAttribute" && isLoading("", nameOfAttribute(attribute)))
        checkShown(site, attributeValue(site, attribute, scope), attribute);
  }
  const binding = node.name.type === "JSXIdentifier" ? resolve(scope, node.name.name) : null;
  if (binding === null || binding.definitions.every(({ how }) => how === "import")) return;
  for (const option of options(nameOf(site.interpreter, binding, null)))
    checkTagText(site, node, option, scope);
}

/** An element whose tag is a text of the file. */
function checkTagText(site: Site, node: t.JSXOpeningElement, option: Value, scope: Scope): void {
  if (!isText(option)) return;
  const tag = asText(option).value.toLowerCase();
  if (tag === "script") site.report("script-injection", "high", node);
  else if (HARMFUL.has(tag)) checkElement(site, node, tag, scope);
}

/** Elements that a rule looks at for more than their handlers. */
const HARMFUL = new Set(
  "a area base button embed form frame iframe image img input link meta object source track use video".split(
    " ",
  ),
);

/** `const tags = { run: "script" }; <tags.run />`. */
function checkKeptTag(
  site: Site,
  node: t.JSXOpeningElement,
  name: t.JSXMemberExpression,
  scope: Scope,
): void {
  if (name.object.type !== "JSXIdentifier") return;
  const binding = resolve(scope, name.object.name);
  if (binding === null || binding.definitions.every(({ how }) => how === "import")) return;
  for (const owner of options(nameOf(site.interpreter, binding, null))) {
    if (owner.kind !== "object" && owner.kind !== "record") continue;
    for (const option of options(site.interpreter.member(owner, name.property.name)))
      checkTagText(site, node, option, scope);
  }
}

/** A form with an address and a reference, by which it may be submitted. */
function noteForm(site: Site, node: t.JSXOpeningElement, scope: Scope): void {
  const [ref, action] = ["ref", "action"].map((name) => attributeOf(node, name));
  if (ref?.value?.type !== "JSXExpressionContainer" || action?.value?.type !== "JSXExpressionContainer")
    return;
  const value = attributeValue(site, action, scope);
  const reach = reachOf(value);
  // What React finds to be a function it calls, but `submit()` passes that by.
  if (reach === "home" || reach === "here" || options(value).some(({ kind }) => kind === "function")) return;
  const written = writtenAs(site, ref.value.expression);
  if (written !== null) site.forms.add(`${written}.current.submit`);
}

function attributeOf(node: t.JSXOpeningElement, name: string): t.JSXAttribute | undefined {
  return node.attributes.find(
    (one): one is t.JSXAttribute => one.type === "JSXAttribute" && one.name.name === name,
  );
}

/** A click that the file makes on an element that it looks up. */
const CLICKS = /(?:querySelector|getElement)[\s\S]{0,200}(?:click|dispatchEvent)/;

/** How much of a function is read for a click in it. */
const REF = 400;

/** `<a href="https://…" ref={(a) => a?.click()} />`: a link that clicks itself, or one that is clicked elsewhere. */
function checkClicked(site: Site, node: t.JSXOpeningElement, scope: Scope): void {
  const [ref, href, download] = ["ref", "href", "download"].map((name) => attributeOf(node, name));
  // Asked only in files that click by themselves.
  if (href?.value?.type === "JSXExpressionContainer" && download === undefined && CLICKS.test(site.source)) {
    const reach = reachOf(attributeValue(site, href, scope));
    if (reach === "unknown" || reach === "external" || reach === "hidden" || reach === "code") {
      site.forms.add("<a>");
      const id = attributeOf(node, "id");
      if (id?.value?.type === "StringLiteral") site.forms.add(`#${id.value.value}`);
    }
  }
  if (ref?.value?.type !== "JSXExpressionContainer" || href === undefined) return;
  if (download === undefined) {
    const leads = reachOf(attributeValue(site, href, scope));
    if (leads === "external" || leads === "hidden" || leads === "code") site.seen.links.push(node);
    if (
      (leads === "external" || leads === "hidden" || leads === "code") &&
      ref.value.expression.type === "Identifier"
    )
      site.forms.add(`${ref.value.expression.name}.current.href`);
  }
  const { start, end } = ref.value.expression;
  const text = site.source.slice(start ?? 0, Math.min(end ?? 0, (start ?? 0) + REF));
  if (!text.includes("=>") || !/\bclick\b/.test(text)) return;
  const reach = reachOf(attributeValue(site, href, scope));
  if (reach !== "home" && reach !== "here" && reach !== "blob" && reach !== "data")
    site.report("redirect", "medium", node);
}

function nameOfAttribute({ name }: t.JSXAttribute): string {
  return name.type === "JSXIdentifier" ? name.name : `${name.namespace.name}:${nameOfKey(name.name)}`;
}

function checkHead(site: Site, node: t.JSXOpeningElement, scope: Scope): void {
  const attributes = new Map<string, Value>();
  for (const attribute of node.attributes) {
    if (attribute.type !== "JSXAttribute") continue;
    attributes.set(nameOfAttribute(attribute).toLowerCase(), attributeValue(site, attribute, scope));
  }
  if (nameOfKey(node.name) === "script") {
    const type = attributes.get("type");
    if (type === undefined || !isData(asText(type).value)) site.report("script-injection", "high", node);
    if (reachOf(attributes.get("src") ?? constant("")) === "external")
      site.report("external-request", "medium", node);
    return;
  }
  const equivalent = attributes.get("httpequiv") ?? attributes.get("http-equiv");
  if (equivalent !== undefined && asText(equivalent).value.toLowerCase() === "refresh") {
    site.report("redirect", "medium", node);
  }
}

function attributeValue(site: Site, attribute: t.JSXAttribute, scope: Scope): Value {
  const { value } = attribute;
  if (!value) return constant(true);
  if (value.type !== "JSXExpressionContainer") return site.interpreter.evaluate(value, scope, null);
  return site.interpreter.evaluate(value.expression, scope, null);
}

function checkAttribute(site: Site, tag: string, name: string, value: Value, node: t.Node): void {
  if (/^on[a-z]/i.test(name)) {
    const scripted = options(value).some((option) => isText(option) && asText(option).value.trim() !== "");
    if (scripted && !tag.includes("-")) site.report("script-injection", "high", node);
    if (value.kind !== "unknown" && value.kind !== "function") handTo(site, value, [UNKNOWN], node);
  } else if (name === "dangerouslySetInnerHTML" || name === "innerHTML") {
    checkInnerHtml(site, value, node);
    if (tag !== "style") return;
    for (const option of options(value))
      if (option.kind === "object" || option.kind === "record")
        checkStyle(site, site.interpreter.member(option, "__html"), node);
  } else if (name.toLowerCase() === "srcdoc") checkMarkup(site, value, node);
  else if (name === "style") {
    checkStyle(site, value, node);
    for (const option of options(value))
      for (const key of namesOf(site.interpreter, option))
        checkStyle(site, site.interpreter.member(option, key), node);
  } else if (ANIMATED.has(name)) {
    const scripted = options(value).some((option) =>
      asText(option)
        .value.split(";")
        .some((piece) => reachOfText(piece) === "code"),
    );
    if (scripted && (tag === "animate" || tag === "set")) site.report("script-injection", "high", node);
  } else {
    if (isLoading(tag, name)) checkShown(site, value, node);
    if (tag === "base" && name === "href") checkBase(site, value, node);
    const told = name === "ping" || name === "formAction" || (tag === "form" && name === "action");
    if (told && reachOf(value) === "external") site.report("external-request", "medium", node);
    checkLink(site, name.replace("xlinkHref", "xlink:href"), value, node);
    if (taintOf(value) & PRIVATE && tag !== "a" && reachOf(value) === "external") {
      site.report("external-request", "high", node);
    }
  }
}
