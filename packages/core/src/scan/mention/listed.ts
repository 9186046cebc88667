import type * as t from "@babel/types";
import { refuel } from "../interpreter/budget.ts";
import { isPageObject } from "../interpreter/members/hosts.ts";
import { options } from "../interpreter/value.ts";
import { nameOfKey } from "../program/patterns.ts";
import type { Scope } from "../program/scope.ts";
import type { Site } from "../rules/site.ts";

const LISTING = new Set([
  "keys",
  "entries",
  "values",
  "getOwnPropertySymbols",
  "getOwnPropertyDescriptor",
  "getPrototypeOf",
]);
/** Objects of the page that hold data, which is listed for good reasons. */
const DATA = /^(?:localStorage|sessionStorage|import\.meta|process|exports|module|React|console|performance)/;

/** Lists of what the page's own objects have, out of which anything can be picked. */
export function checkListed(site: Site): void {
  const { program } = site.interpreter;
  for (const { node, scope } of program.listed)
    if (isRead(site, node) && isHost(site, node, scope)) site.report("eval", "low", node);
  for (const { node, scope } of program.calls) {
    if (node.type === "ImportExpression" || node.callee.type !== "MemberExpression" || node.callee.computed)
      continue;
    const { object, property } = node.callee;
    if (object.type !== "Identifier" || (object.name !== "Object" && object.name !== "Reflect")) continue;
    const [first] = node.arguments;
    refuel();
    if (first === undefined || !LISTING.has(nameOfKey(property))) continue;
    if (!ASKED.test(site.source.slice(node.end ?? 0, (node.end ?? 0) + READ)) && isHost(site, first, scope))
      site.report("eval", "low", node);
  }
  for (const { node, scope } of program.spreads)
    if (isFromEntries(site, node, scope)) site.report("hidden-text", "low", node);
}

/** Asks whether there is such a name, or how many. */
const ASKED = /^\s*\??\.\s*(?:some|every|includes|indexOf|length)\b/;
/** How much of a loop is read. */
const READ = 400;

/** Whether a loop over names takes what stands under them, and does not only compare them. */
function isRead({ source }: Site, { end }: t.Node): boolean {
  const body = source.slice(end ?? 0, (end ?? 0) + READ);
  return /\[\s*\w+\s*\]/.test(body) || !/[!=]==?/.test(body);
}

function isHost(site: Site, node: t.Node, scope: Scope): boolean {
  return options(site.interpreter.evaluate(node, scope, null)).some(
    (value) =>
      value.kind === "host" &&
      (isPageObject(value.path) || value.path === "Function.prototype") &&
      !DATA.test(value.path),
  );
}

/** `{...Object.fromEntries([[key, value]])}`, unless it filters the entries of something or names data. */
function isFromEntries(site: Site, node: t.Node, scope: Scope): boolean {
  let at = node;
  if (at.type === "Identifier") {
    for (let from: Scope | null = scope; from !== null; from = from.parent) {
      const [only] = from.names?.get(at.name)?.definitions ?? [];
      if (only === undefined) continue;
      if (only.how === "value") at = only.node;
      break;
    }
  }
  const text = site.source.slice(at.start ?? 0, Math.min(at.end ?? 0, (at.start ?? 0) + 400));
  return (
    /^(?:\w+\.)?(?:useMemo\(\s*\(\)\s*=>\s*)?Object\.fromEntries\(/.test(text) &&
    !/Object\.(?:entries|keys)|data-|aria-/.test(text)
  );
}
