import type * as t from "@babel/types";
import { isPageObject } from "../../interpreter/members/hosts.ts";
import { options } from "../../interpreter/value.ts";
import { nameOfKey } from "../../program/patterns.ts";
import type { Scope } from "../../program/scope.ts";
import type { Rule, RuleContext } from "../rule.ts";

const ENUMERATORS = new Set([
  "keys",
  "entries",
  "values",
  "getOwnPropertySymbols",
  "getOwnPropertyDescriptor",
  "getPrototypeOf",
]);
/** Objects of the page that contain data, which is listed for good reasons. */
const DATA = /^(?:localStorage|sessionStorage|import\.meta|process|exports|module|React|console|performance)/;

/** Lists of the members of the page's own objects, from which any member can be picked. */
export const memberEnumeration: Rule = {
  id: "eval",
  severity: "low",
  onCallee(context, { node, scope }) {
    if (node.type === "ImportExpression" || node.callee.type !== "MemberExpression" || node.callee.computed)
      return;
    const { object, property } = node.callee;
    if (object.type !== "Identifier" || (object.name !== "Object" && object.name !== "Reflect")) return;
    const [first] = node.arguments;
    if (first === undefined || !ENUMERATORS.has(nameOfKey(property))) return;
    const after = context.source.slice(node.end ?? 0, (node.end ?? 0) + CONTEXT_LENGTH);
    if (nameOfKey(property) === "getPrototypeOf" && CONDITION.test(after)) return;
    if (!EXISTENCE_TEST.test(after) && isHost(context, first, scope, nameOfKey(property) === "keys"))
      context.report("eval", "low", node);
  },
  onFile(context) {
    for (const { node, scope } of context.interpreter.program.enumerated)
      if (readsProperties(context, node) && isHost(context, node, scope)) context.report("eval", "low", node);
  },
};

/** A test whether a name exists, or a count of the names. */
const EXISTENCE_TEST = /^\s*\??\.\s*(?:some|every|includes|indexOf|length)\b/;
/** A condition. */
const CONDITION = /^\s*\?(?![.?])/;
/** Characters of a loop that are read. */
const CONTEXT_LENGTH = 400;

/** Whether a loop over names reads the properties of these names, and does not only compare the names. */
function readsProperties({ source }: RuleContext, { end }: t.Node): boolean {
  const body = source.slice(end ?? 0, (end ?? 0) + CONTEXT_LENGTH);
  return /\[\s*\w+\s*\]/.test(body) || !/[!=]==?/.test(body);
}

/** The members of a class of the page are listed to pick a method by a part of its name. */
function isPrototype(path: string): boolean {
  return path.endsWith(".prototype") && !path.startsWith("npm:");
}

function isHost(context: RuleContext, node: t.Node, scope: Scope, names = false): boolean {
  return options(context.interpreter.evaluate(node, scope, null)).some(
    (value) =>
      value.kind === "host" &&
      (isPageObject(value.path) ||
        value.path === "Function.prototype" ||
        (names && isPrototype(value.path))) &&
      !DATA.test(value.path),
  );
}
