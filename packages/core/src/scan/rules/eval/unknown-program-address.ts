import type * as t from "@babel/types";
import { options, UNKNOWN } from "../../interpreter/value.ts";
import { reachOf } from "../common/address.ts";
import type { Rule } from "../rule.ts";

const CALLS = new Set([
  "import",
  "importScripts",
  "require",
  "Worker",
  "SharedWorker",
  "navigator.serviceWorker.register",
]);

/** `require(join(root, "package.json"))`: data, by the literal end of the file name. */
function isData(node: t.Node): boolean {
  if (node.type !== "CallExpression") return false;
  let last: t.Node | undefined = node.arguments[0];
  if (last?.type === "CallExpression") last = last.arguments.at(-1);
  return last?.type === "StringLiteral" && /^[^?#:]*\.json$/.test(last.value);
}

/** A program that is loaded from an unknown address and run. */
export const unknownProgramAddress: Rule = {
  id: "eval",
  severity: "low",
  calls: (path) => CALLS.has(path),
  onCall({ report }, { path, args, node }) {
    const address = args[0] ?? UNKNOWN;
    if (path === "require" && isData(node)) return;
    if (reachOf(address) === "unknown" && options(address).every(({ kind }) => kind !== "host"))
      report("eval", "low", node);
  },
};
