import type * as t from "@babel/types";
import { pay } from "../../interpreter/budget.ts";
import { asText } from "../../interpreter/text/text.ts";
import { DECODED, HIDDEN, HOLE, OWN, options, type Value } from "../../interpreter/value.ts";
import type { RuleContext } from "../rule.ts";
import { addressesOfStyle, reachOfText } from "./address.ts";

/** Attributes and properties by which an element loads what it shows. */
const SHOWN = /^(?:src|(?:image)?srcset|poster|background)$/i;
/** Elements that load what a link of theirs names; others only lead there. */
const LINKED = /^(?:link|image|use|feimage)$/i;

/** Whether an element loads what stands in one of its attributes. */
export function isLoading(tag: string, name: string): boolean {
  if (SHOWN.test(name)) return true;
  if (name === "data") return tag === "object";
  return (name === "href" || name === "xlinkHref" || name === "xlink:href") && LINKED.test(tag);
}

const PARTS = new RegExp(`[${HOLE}${OWN}]`);
/** The host of an address, after any number of slashes and the name of a user. */
const HOST = /^\s*(?:[a-z][a-z\d+.-]*:)?[\\/]*(?:[^\\/?#"')\s]*@)?([^\\/?#:"')\s]*)/i;

/**
 * Ways to write an address that are needed only to hide it: slashes or line breaks too many, a host in numbers
 * or in letters that only look like others.
 */
const DISGUISED =
  /^\s*(?:https?:(?:[\\/]?[^\\/\s]|[\\/]{3})|[^?#]*[\t\n\r][^?#\s]*[/:]|(?:https?:)?[\\/]*\\|(?:https?:)?\/\/(?:[^/?#]*[\u3002\uff00-\uff9f]|(?:\d{6,}|0x[\da-f]+)(?:[/?#:]|$)))/i;

/** Whether a text leads to a host that the source does not show. */
export function hidesHost({ source }: RuleContext, address: string, taint: number): boolean {
  const reach = reachOfText(address);
  if (reach === "unknown") return (taint & HIDDEN) !== 0;
  if (reach !== "external") return false;
  const start = address.slice(0, 300);
  if (DISGUISED.test(start)) return true;
  if ((taint & (HIDDEN | DECODED)) === 0) return false;
  const [, host = ""] = HOST.exec(start) ?? [];
  if (!pay(source.length >> 2)) return true;
  // What is computed may be a query; the host is hidden only where the file does not write it out as an address.
  const [first, ...others] = host.split(PARTS).filter((part) => part !== "");
  if (first === undefined) return true;
  const scheme = /^\s*([a-z]+:)/i.exec(address)?.[1] ?? "";
  return !isWritten(source, scheme, first) || !others.every((part) => source.includes(part));
}

/** Whether a source holds the beginning of an address: in one text, or its scheme and slashes before another. */
function isWritten(source: string, scheme: string, host: string): boolean {
  if (!source.includes(host)) return false;
  const name = host.slice(0, 100).replace(/[^\w-]/g, "\\$&");
  return new RegExp(
    `(?:${scheme || "[\"'`}(]"}|["'\`}]:?)//(?:\\$\\{|["'\`]|(?:[^\\s"'\`/@]{0,60}@)?${name})`,
  ).test(source);
}

/**
 * The address of something that is shown: content wherever it leads, unless it is hidden, put together where one is
 * written out, or tells the other host something.
 */
export function checkShown(context: RuleContext, value: Value, node: t.Node): void {
  for (const option of options(value)) {
    if (option.kind !== "constant" && option.kind !== "text" && option.kind !== "unknown") continue;
    const { value: address, taint } = asText(option);
    if (address.includes(HOLE) && reachOfText(address) === "external") context.seen.loads.push(node);
    if (hidesHost(context, address, taint)) context.report("external-request", "high", node);
    else if (reachOfText(address) === "external") {
      if (isPieced(context, address)) context.report("external-request", "medium", node);
      else if (!isWrittenOut(context, node, address)) context.report("external-request", "low", node);
    }
  }
}

/** Whether an address begins with pieces that stand apart in the source. */
export function isPieced({ source }: RuleContext, address: string): boolean {
  const start = address.slice(0, 300);
  const [, host = ""] = HOST.exec(start) ?? [];
  const scheme = /^\s*([a-z]+:)/i.exec(start)?.[1] ?? "";
  if (host === "" || PARTS.test(host) || !pay(source.length >> 2)) return false;
  if (source.includes(`${scheme}//${host}`)) return false;
  return !source.includes(host) || !new RegExp(`${scheme}//(?:\\$\\{|["'\`])`).test(source);
}

/** What people write as the address of a picture: a text, a template, a name, or one of two of these. */
const WRITTEN_OUT = new Set([
  "StringLiteral",
  "TemplateLiteral",
  "Identifier",
  "MemberExpression",
  "OptionalMemberExpression",
]);

const BEGUN = /\/\/[^/]+(?:\/|$)/;

/** Whether an address is written plainly at a place, without anything told behind a question mark. */
function isWrittenOut(context: RuleContext, node: t.Node, address: string): boolean {
  if (isOpenQuery(address)) return false;
  if (node.type === "CallExpression") return context.source.includes(address.trim());
  if (node.type !== "JSXAttribute") return false;
  if (node.value?.type !== "JSXExpressionContainer") return true;
  let { expression } = node.value;
  while (expression.type === "ConditionalExpression" || expression.type === "LogicalExpression")
    expression = expression.type === "ConditionalExpression" ? expression.consequent : expression.right;
  while (expression.type === "BinaryExpression" && expression.left.type !== "PrivateName")
    expression = expression.left;
  // What is joined to a text goes on from its host.
  return expression.type === "StringLiteral"
    ? BEGUN.test(expression.value)
    : WRITTEN_OUT.has(expression.type);
}

/** Something unknown behind a question mark. */
export function isOpenQuery(address: string): boolean {
  const [before = ""] = address.split("#", 1);
  const query = before.search(/[?&]/);
  return query >= 0 && before.includes(HOLE, query);
}

/** A letter of an address in a style that is written by its number. */
const ESCAPED = /\\[\da-f]{1,6}/i;

/** Whether a style loads something from a hidden address. */
export function hidesInStyle(context: RuleContext, style: string, taint: number): boolean {
  return addressesOfStyle(style).some(({ text }) => {
    const [address = ""] = text.split(/["')]/, 1);
    if (ESCAPED.test(address) && !/^\s*data:/i.test(address)) return true;
    return reachOfText(text) === "external" && hidesHost(context, address, taint);
  });
}
