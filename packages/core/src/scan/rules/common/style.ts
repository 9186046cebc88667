import type * as t from "@babel/types";
import { charge } from "../../interpreter/budget.ts";
import { asText } from "../../interpreter/text/text.ts";
import { DECODED, HIDDEN, HOLE, isText, options, PRIVATE, type Value } from "../../interpreter/value.ts";
import type { RuleContext } from "../rule.ts";
import { addressesOfStyle } from "./address.ts";
import { styleHidesAddress } from "./content-address.ts";

/** Properties that contain styles, by their names in scripts and in CSS. */
const STYLES =
  /^(?:--.*|(?:-?webkit-?)?(?:background|mask|border|list-?style)-?(?:image)?(?:-?source)?|cssText|cursor|content|filter|clip-?path|src|style|textContent|innerText|innerHTML|text)$/i;

export function isStyleName(key: string): boolean {
  return key.length < 40 && STYLES.test(key);
}

/** The cost of parsing a character of a style, in comparison with copying it. */
const COST_PER_CHARACTER = 8;

/** Reports a style that fetches from a hidden address, or sends cookies or storage to another host. */
export function checkStyle(context: RuleContext, value: Value, node: t.Node): void {
  let loads = false;
  const leaks = options(value).some((option) => {
    if (!isText(option)) return false;
    const { value: style, taint } = asText(option);
    const watched = taint & (PRIVATE | DECODED | HIDDEN);
    loads ||= loadsConcatenatedAddress(context, style, node);
    const field = style.includes("value") || style.includes(":visited") || style.includes("autofill");
    if (watched === 0 && !field && !style.includes("\\")) return false;
    // Parsing a style costs several times what copying costs; an unparsed style may send anything.
    if (!charge(COST_PER_CHARACTER * style.length)) return true;
    if (field && leaksFieldValue(style)) return true;
    // Letters of `url` that are written as escapes.
    if (ESCAPED_URL.test(style) && style.includes("//")) return true;
    if (styleHidesAddress(context, style, taint)) return true;
    return (taint & PRIVATE) !== 0 && addressesOfStyle(style).some(({ reach }) => reach === "external");
  });
  if (leaks) context.report("external-request", "high", node);
  else if (loads) context.report("external-request", "low", node);
}

const LOADING = /url\(|@import|image-set\(/i;
/** Characters before an address in a style that are searched for together with it. */
const BEFORE = 8;
/** Addresses of one style that are searched for. */
const MAX_ADDRESSES = 16;

/** Whether a style loads from another host by an address that is not literal in the source. */
function loadsConcatenatedAddress(context: RuleContext, style: string, node: t.Node): boolean {
  const own = node.type === "JSXAttribute" || node.type === "TaggedTemplateExpression";
  const key = own ? style : `${node.type} ${style}`;
  let loads = context.styles.get(key);
  if (loads !== undefined) return loads;
  const outside = LOADING.test(style)
    ? addressesOfStyle(style).filter(({ reach }) => reach === "external")
    : [];
  if (outside.some(({ text }) => text.includes(HOLE))) context.collected.loads.push(node);
  // A style that code writes into a style element, a rule or a key frame is not visible to a reader of the page.
  const byCode = /^(?:(?:Optional)?Call|New|Assignment)Expression$/.test(node.type);
  loads = outside.slice(0, MAX_ADDRESSES).some(({ text, at }) => {
    if (byCode) return true;
    const [address = ""] = text.split(/["')]/, 1);
    // For the style of one element, and for the styles of a library, the address alone is searched for.
    const written = own ? address : style.slice(Math.max(0, at - BEFORE), at) + address;
    return !charge(context.source.length >> 2) || !context.source.includes(written);
  });
  context.styles.set(key, loads);
  return loads;
}

const ESCAPED_URL = /\\0{0,4}(?:[57]5|[57]2|[46]c)\s?\w{0,3}\s?(?:\\0{0,4}(?:[57]2|[46]c)|[rl(])/i;
/** A selector by the content of a field. */
const FIELD_SELECTOR = /\[\s*value\s*[\^$*~|]?=|:visited|:(?:-webkit-)?autofill/i;

/** Whether a style sends the content of a field to another host, letter by letter. */
function leaksFieldValue(style: string): boolean {
  return FIELD_SELECTOR.test(style) && addressesOfStyle(style).some(({ reach }) => reach === "external");
}
