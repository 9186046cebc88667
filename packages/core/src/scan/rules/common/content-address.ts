import type * as t from "@babel/types";
import { charge } from "../../interpreter/budget.ts";
import { asText } from "../../interpreter/text/text.ts";
import { DECODED, HIDDEN, HOLE, OWN_ORIGIN, options, type Value } from "../../interpreter/value.ts";
import type { RuleContext } from "../rule.ts";
import { addressesOfStyle, reachOfText } from "./address.ts";

/** Attributes and properties by which an element loads its content. */
const CONTENT_ATTRIBUTES = /^(?:src|(?:image)?srcset|poster|background)$/i;
/** Elements that load the target of their link; in other elements it is only a link. */
const LOADED_LINKS = /^(?:link|image|use|feimage)$/i;

/** Whether an element loads the address in one of its attributes. */
export function loadsContent(tag: string, name: string): boolean {
  if (CONTENT_ATTRIBUTES.test(name)) return true;
  if (name === "data") return tag === "object";
  return (name === "href" || name === "xlinkHref" || name === "xlink:href") && LOADED_LINKS.test(tag);
}

const PARTS = new RegExp(`[${HOLE}${OWN_ORIGIN}]`);
/** The host of an address, after any number of slashes and a user name. */
const HOST = /^\s*(?:[a-z][a-z\d+.-]*:)?[\\/]*(?:[^\\/?#"')\s]*@)?([^\\/?#:"')\s]*)/i;

/**
 * Spellings of an address whose only use is to hide it: extra slashes or line breaks, a host in numbers
 * or in letters that only look like others.
 */
const DISGUISED =
  /^\s*(?:https?:(?:[\\/]?[^\\/\s]|[\\/]{3})|[^?#]*[\t\n\r][^?#\s]*[/:]|(?:https?:)?[\\/]*\\|(?:https?:)?\/\/(?:[^/?#]*[\u3002\uff00-\uff9f]|(?:\d{6,}|0x[\da-f]+)(?:[/?#:]|$)))/i;

/** Whether an address points to a host that the source does not show. */
export function hidesHost({ source }: RuleContext, address: string, taint: number): boolean {
  const reach = reachOfText(address);
  if (reach === "unknown") return (taint & HIDDEN) !== 0;
  if (reach !== "external") return false;
  const start = address.slice(0, 300);
  if (DISGUISED.test(start)) return true;
  if ((taint & (HIDDEN | DECODED)) === 0) return false;
  const [, host = ""] = HOST.exec(start) ?? [];
  if (!charge(source.length >> 2)) return true;
  // The computed part may be a query; the host is hidden only where no literal address in the source contains it.
  const [first, ...others] = host.split(PARTS).filter((part) => part !== "");
  if (first === undefined) return true;
  const scheme = /^\s*([a-z]+:)/i.exec(address)?.[1] ?? "";
  return !containsAddress(source, scheme, first) || !others.every((part) => source.includes(part));
}

/** Whether a source contains the beginning of an address: in one string, or its scheme and slashes before another string. */
function containsAddress(source: string, scheme: string, host: string): boolean {
  if (!source.includes(host)) return false;
  const name = host.slice(0, 100).replace(/[^\w-]/g, "\\$&");
  return new RegExp(
    `(?:${scheme || "[\"'`}(]"}|["'\`}]:?)//(?:\\$\\{|["'\`]|(?:[^\\s"'\`/@]{0,60}@)?${name})`,
  ).test(source);
}

/**
 * Checks the address of shown content. It may point to any host, unless it is hidden, is concatenated where a literal
 * is usual, or sends data to that host.
 */
export function checkContentAddress(context: RuleContext, value: Value, node: t.Node): void {
  for (const option of options(value)) {
    if (option.kind !== "constant" && option.kind !== "text" && option.kind !== "unknown") continue;
    const { value: address, taint } = asText(option);
    if (address.includes(HOLE) && reachOfText(address) === "external") context.collected.loads.push(node);
    if (hidesHost(context, address, taint)) context.report("external-request", "high", node);
    else if (reachOfText(address) === "external") {
      if (isConcatenatedAddress(context, address)) context.report("external-request", "medium", node);
      else if (!isPlainExpression(context, node, address)) context.report("external-request", "low", node);
    }
  }
}

/** Whether an address begins with pieces that are separate in the source. */
export function isConcatenatedAddress({ source }: RuleContext, address: string): boolean {
  const start = address.slice(0, 300);
  const [, host = ""] = HOST.exec(start) ?? [];
  const scheme = /^\s*([a-z]+:)/i.exec(start)?.[1] ?? "";
  if (host === "" || PARTS.test(host) || !charge(source.length >> 2)) return false;
  if (source.includes(`${scheme}//${host}`)) return false;
  return !source.includes(host) || !new RegExp(`${scheme}//(?:\\$\\{|["'\`])`).test(source);
}

/** Usual expressions for the address of a picture: a string, a template, a variable, or a choice between two of them. */
const PLAIN_EXPRESSIONS = new Set([
  "StringLiteral",
  "TemplateLiteral",
  "Identifier",
  "MemberExpression",
  "OptionalMemberExpression",
]);

const WITH_HOST = /\/\/[^/]+(?:\/|$)/;

/** Whether an address is written plainly at a location, without unknown data in its query. */
function isPlainExpression(context: RuleContext, node: t.Node, address: string): boolean {
  if (hasUnknownQuery(address)) return false;
  if (node.type === "CallExpression") return context.source.includes(address.trim());
  if (node.type !== "JSXAttribute") return false;
  if (node.value?.type !== "JSXExpressionContainer") return true;
  let { expression } = node.value;
  while (expression.type === "ConditionalExpression" || expression.type === "LogicalExpression")
    expression = expression.type === "ConditionalExpression" ? expression.consequent : expression.right;
  while (expression.type === "BinaryExpression" && expression.left.type !== "PrivateName")
    expression = expression.left;
  // In a concatenation, the first string must contain the host.
  return expression.type === "StringLiteral"
    ? WITH_HOST.test(expression.value)
    : PLAIN_EXPRESSIONS.has(expression.type);
}

/** Whether the query of an address contains an unknown part. */
export function hasUnknownQuery(address: string): boolean {
  const [before = ""] = address.split("#", 1);
  const query = before.search(/[?&]/);
  return query >= 0 && before.includes(HOLE, query);
}

/** An escaped letter of an address in a style. */
const ESCAPED = /\\[\da-f]{1,6}/i;

/** Whether a style loads something from a hidden address. */
export function styleHidesAddress(context: RuleContext, style: string, taint: number): boolean {
  return addressesOfStyle(style).some(({ text }) => {
    const [address = ""] = text.split(/["')]/, 1);
    if (ESCAPED.test(address) && !/^\s*data:/i.test(address)) return true;
    return reachOfText(text) === "external" && hidesHost(context, address, taint);
  });
}
