import type * as t from "@babel/types";
import { namesOf } from "../interpreter/members/objects.ts";
import { asText, taintOf } from "../interpreter/text/text.ts";
import { CODED, constant, HOLE, isText, options, UNKNOWN, type Value } from "../interpreter/value.ts";
import { reachOf } from "./address.ts";
import { checkShown, isLoading } from "./hidden.ts";
import { checkInnerHtml, checkMarkup, checkTags } from "./markup.ts";
import { isRefresh } from "./redirect.ts";
import type { HostCall, NamedCall, Site, Write } from "./site.ts";
import { isData, isDocument } from "./tags.ts";
import { checkBlob, checkPolicy, checkPreload } from "./unseen.ts";

/** Functions that make an element of a name: the browser's, React's and those its compilers call. */
export const MAKERS = /^_?(?:createElement(?:NS|VNode)?|createVNode|jsxs?|jsxDEV|h)\d?$/;
/** Properties that become markup or a document. */
const MARKUP = new Set(["innerHTML", "outerHTML", "srcdoc"]);
/** Methods that take markup, and which argument it is. */
const MARKUP_AT: Record<string, number> = {
  insertAdjacentHTML: 1,
  createContextualFragment: 0,
  setHTMLUnsafe: 0,
  parseHTMLUnsafe: 0,
  unsafeHTML: 0,
};
/** jQuery's methods that take markup; other libraries name methods so too, so only plain text counts. */
const JQUERY = new Set([
  "html",
  "append",
  "prepend",
  "after",
  "before",
  "replaceWith",
  "wrap",
  "appendTo",
  "prependTo",
]);
const LINKS = new Set([
  "href",
  "src",
  "action",
  "formaction",
  "data",
  "xlink:href",
  "formAction",
  "xlinkHref",
  "srcdoc",
]);

export function isInjectionSink(path: string): boolean {
  return (
    path === "trustedTypes.createPolicy" ||
    path === "Blob" ||
    path === "File" ||
    /^document\.(?:write(?:ln)?|execCommand)$|^(?:\$|jQuery|npm:jquery)(?:\.getScript)?$/.test(path) ||
    MAKERS.test(path.slice(path.lastIndexOf(".") + 1))
  );
}

/** Scripts made or markup written through something of the browser. */
export function checkInjection(site: Site, { path, args, node }: HostCall): void {
  if (path === "trustedTypes.createPolicy") checkPolicy(site, args[1], node);
  else if (path === "Blob" || path === "File")
    checkBlob(site, [args[0] ?? UNKNOWN, args.at(-1) ?? UNKNOWN], node);
  else if (path === "document.write" || path === "document.writeln") {
    for (const arg of args) {
      checkMarkup(site, arg, node);
      if (!isText(arg) || asText(arg).value.includes(HOLE)) site.report("script-injection", "medium", node);
    }
  } else if (path === "document.execCommand" && args[2] !== undefined) checkMarkup(site, args[2], node);
  else if (/^(?:\$|jQuery|npm:jquery)\.getScript$/.test(path)) site.report("script-injection", "high", node);
  else if (/^(?:\$|jQuery|npm:jquery)$/.test(path) && args[0] !== undefined) checkMarkup(site, args[0], node);
  else if (MAKERS.test(path.slice(path.lastIndexOf(".") + 1))) checkMade(site, args, node);
}

/** Methods known by their name alone, as an element is rarely known to be one. */
export function checkInjectionByName(site: Site, { name, args, node }: NamedCall): void {
  if (MAKERS.test(name)) {
    checkMade(site, args(3), node);
    return;
  }
  if (name === "cloneElement") {
    checkProps(site, UNKNOWN, args(2)[1] ?? UNKNOWN, node);
    return;
  }
  const at = Object.hasOwn(MARKUP_AT, name) ? MARKUP_AT[name] : undefined;
  if (at !== undefined) {
    checkMarkup(site, args()[at] ?? UNKNOWN, node);
    return;
  }
  if (name === "parseFromString") {
    // Text from elsewhere is mostly parsed to be cleaned; what is written out is meant to be shown.
    for (const option of options(args()[0] ?? UNKNOWN)) checkTags(site, asText(option).value, 0, node);
    return;
  }
  if (JQUERY.has(name)) {
    for (const arg of args()) if (options(arg).some(isText)) checkMarkup(site, arg, node);
  } else if (name === "setAttribute") {
    const [key, value] = args();
    if (key !== undefined && value !== undefined) checkAttribute(site, key, value, node);
  } else if (name === "write" || name === "writeln") {
    // A stream or a file is written to as well, so only plain markup counts.
    for (const arg of args()) if (options(arg).some(isText)) checkMarkup(site, arg, node);
  } else if (name === "createAttribute" || name === "createAttributeNS") {
    const handler = options(args()[name === "createAttribute" ? 0 : 1] ?? UNKNOWN).some((option) =>
      /^on[a-z]+$/i.test(asText(option).value),
    );
    if (handler) site.report("script-injection", "high", node);
  } else if (name === "setAttributeNS") {
    const [, key, value] = args();
    if (key !== undefined && value !== undefined) checkAttribute(site, key, value, node);
  }
}

/** `createElement("script")`, unless what it makes is data. */
function checkMade(site: Site, args: Value[], node: t.Node): void {
  // createElementNS takes the namespace first.
  for (const [index, arg] of args.slice(0, 2).entries()) {
    for (const option of options(arg)) {
      if (index === 0 && option.kind !== "constant" && taintOf(option) & CODED)
        site.report("script-injection", "high", node);
      if (!isText(option) || !/^(?:svg:|html:)?script$/i.test(asText(option).value.trim())) continue;
      const props = args[index + 1];
      const type =
        props === undefined
          ? undefined
          : site.interpreter.member(props.kind === "either" ? UNKNOWN : props, "type");
      if (type?.kind === "constant" && isData(String(type.value))) continue;
      site.report("script-injection", "high", node);
    }
  }
  const [tag, props] = args;
  if (tag !== undefined && props !== undefined && options(tag).some(isText))
    checkProps(site, tag, props, node);
}

function checkProps(site: Site, tag: Value, props: Value, node: t.Node): void {
  if (tag.kind === "constant" && tag.value === "link")
    checkPreload(site, (name) => site.interpreter.member(props, name), node);
  for (const key of namesOf(site.interpreter, props)) {
    if (options(tag).some((one) => isText(one) && isLoading(asText(one).value, key)))
      checkShown(site, site.interpreter.member(props, key), node);
    if (key === "dangerouslySetInnerHTML") checkInnerHtml(site, site.interpreter.member(props, key), node);
    if (LINKS.has(key)) checkLink(site, key, site.interpreter.member(props, key), node);
    else if (/^on[a-z]+$/.test(key))
      checkAttribute(site, constant(key), site.interpreter.member(props, key), node);
    else if (isRefresh(key, site.interpreter.member(props, key))) site.report("redirect", "medium", node);
  }
}

/** The name of a handler, also one of which only the beginning is told. */
const HANDLER = new RegExp(`^on[a-z]*(?:[a-z]|${HOLE}.*)$`);

function checkAttribute(site: Site, key: Value, value: Value, node: t.Node): void {
  for (const option of options(key)) {
    const name = asText(option).value.toLowerCase();
    if (name === HOLE) {
      // It may be that of a handler.
      if (options(value).some(({ kind }) => kind === "unknown")) site.report("script-injection", "low", node);
    } else if (!HANDLER.test(name)) checkLink(site, name, value, node);
    // Removing a handler, or giving a framework a function, puts no script into the page.
    else if (!options(value).every((option) => option.kind === "function" || asText(option).value === "")) {
      site.report("script-injection", "high", node);
    }
  }
}

/** Markup, handlers in text and script links that are put into a property. */
export function checkInjectionWrite(site: Site, { owner, key, value, node }: Write): void {
  if (MARKUP.has(key)) checkMarkup(site, value, node);
  else if (key === "dangerouslySetInnerHTML") checkInnerHtml(site, value, node);
  else if (/^on[a-z]+$/.test(key)) {
    if (options(value).some((option) => isText(option) && asText(option).value !== "")) {
      site.report("script-injection", "high", node);
    }
  } else if (owner.kind === "host" && /^document\.(?:scripts\b|currentScript$)/.test(owner.path)) {
    if (key === "text" || key === "textContent" || key === "src")
      site.report("script-injection", "high", node);
  } else if (owner.kind !== "host" || !/^(?:$|location)/.test(owner.path)) checkLink(site, key, value, node);
}

/** A link that is a script. */
export function checkLink(site: Site, key: string, value: Value, node: t.Node): void {
  if (!LINKS.has(key)) return;
  if (key === "srcdoc") {
    checkMarkup(site, value, node);
    return;
  }
  const reach = reachOf(value);
  if (reach === "code") site.report("script-injection", "high", node);
  if (reach === "data") {
    if (options(value).some((option) => isDocument(asText(option).value)))
      site.report("script-injection", "high", node);
  }
}
