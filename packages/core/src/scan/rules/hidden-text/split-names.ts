import type * as t from "@babel/types";
import { charge, startLocation } from "../../interpreter/budget.ts";
import { asText } from "../../interpreter/text/text.ts";
import { options, type Value } from "../../interpreter/value.ts";
import { RARE_NAMES, SPLIT_NAMES } from "../../program/rare-names.ts";
import { reachOfText } from "../common/address.ts";
import { isConcatenatedAddress as isAddressPieced } from "../common/content-address.ts";
import type { Rule, RuleContext } from "../rule.ts";
import { isPlainWord } from "./plain-words.ts";

/** Concatenations of one file that are evaluated for this rule. */
const MAX_EVALUATED = 500;
const CONCATENATIONS = new Set([
  "BinaryExpression",
  "TemplateLiteral",
  "CallExpression",
  "OptionalCallExpression",
]);
/** Possible values of an expression that are checked. */
const MAX_OPTIONS = 16;
/** A template that begins with a computed host. */
const HOSTS = /`(?:https?:|wss?:)?\/\/\$\{/;
/** Maximum number of pieces of a name. */
const PIECES = 4;

/** Names that the source contains only in pieces. */
export const splitNames: Rule = {
  id: "hidden-text",
  severity: "medium",
  onFile: checkPieces,
};

function checkPieces(context: RuleContext): void {
  const { interpreter } = context;
  const { program } = interpreter;
  if (
    program.joined.length > 0 &&
    (program.pieces.size > 1 ||
      HOSTS.test(context.source) ||
      program.decodes ||
      interpreter.charwiseCalls.length > 0)
  )
    for (const { node, scope } of program.joined.slice(0, MAX_EVALUATED)) {
      startLocation();
      interpreter.evaluate(node, scope, null);
    }
  startLocation();
  for (const [node, value] of interpreter.expressions) {
    if (!CONCATENATIONS.has(node.type)) continue;
    if (value.kind === "unknown" || value.kind === "function") continue;
    for (const option of options(value).slice(0, MAX_OPTIONS)) {
      const found =
        option.kind === "list"
          ? option.items.slice(0, 64).some((item) => isRareText(context, item))
          : isConcatenated(context, node, option);
      if (found) context.report("hidden-text", "medium", node);
      else if (option.kind === "constant" || option.kind === "text") checkAddress(context, node, option);
    }
  }
  if (program.pieces.size > 1) checkWords(context, program.pieces);
}

const ADDRESS = /^(?:https?|wss?):\/\/[\w.{-]|^\/\/[\w-]+\./i;

/** The address of another host that the source contains only in pieces, whatever its use. */
function checkAddress(context: RuleContext, node: t.Node, value: Value): void {
  const { value: address } = asText(value);
  if (ADDRESS.test(address) && reachOfText(address) === "external" && isAddressPieced(context, address))
    context.report("external-request", "low", node);
}

function isRareText(context: RuleContext, value: Value): boolean {
  return (
    value.kind === "constant" &&
    typeof value.value === "string" &&
    (RARE_NAMES.get(value.value)?.at.includes("s") ?? false) &&
    !isPlainWord(context, value.value)
  );
}

function isConcatenated(context: RuleContext, node: t.Node, value: Value): boolean {
  return (
    value.kind === "constant" &&
    typeof value.value === "string" &&
    isConcatenatedName(context, node, value.value)
  );
}

/** Whether a string is a name that the source contains nowhere as a literal. */
export function isConcatenatedName(context: RuleContext, node: t.Node, text: string): boolean {
  if (!SPLIT_NAMES.has(text) || node.type === "StringLiteral" || isPlainWord(context, text)) return false;
  const { source } = context;
  // When the budget is used up, the name counts as hidden.
  if (!charge(source.length)) return true;
  return !source.includes(`"${text}"`) && !source.includes(`'${text}'`) && !source.includes(`\`${text}\``);
}

/** Names that short strings of a file form when they are concatenated. */
function checkWords(context: RuleContext, pieces: ReadonlySet<string>): void {
  let letters = 0;
  for (const piece of pieces) letters += piece.length;
  for (const name of SPLIT_NAMES) {
    if (name.length > letters || name.length < 4 || /\W|^on/.test(name) || !consistsOf(name, 0, pieces, 0))
      continue;
    if (context.source.includes(name) || isPlainWord(context, name)) continue;
    const first = [...pieces].find((piece) => name.startsWith(piece)) ?? "";
    const at = Math.max(0, context.source.search(new RegExp(`["'\`]${first.replace(/\W/g, "\\$&")}["'\`]`)));
    context.reportText("hidden-text", "low", at, at + first.length + 2);
    return;
  }
}

function consistsOf(name: string, start: number, pieces: ReadonlySet<string>, depth: number): boolean {
  if (start === name.length) return depth > 1;
  if (depth === PIECES) return false;
  for (let end = name.length; end > start + 1; end--)
    if (pieces.has(name.slice(start, end)) && consistsOf(name, end, pieces, depth + 1)) return true;
  return false;
}
