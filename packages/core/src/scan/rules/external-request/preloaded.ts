import type * as t from "@babel/types";
import { UNKNOWN, type Value } from "../../interpreter/value.ts";
import { reachOf } from "../common/address.ts";
import { someTextMatches } from "../common/some-text-matches.ts";
import type { Rule, RuleContext } from "../rule.ts";

/** `<link rel="modulepreload">`: a program or page that is loaded ahead, to be run. */
export const preloaded: Rule = {
  id: "external-request",
  severity: "medium",
  onJsx(context, { tag, lookup, node }) {
    if (tag === "link") checkPreload(context, lookup, node);
  },
  onProp(context, { tag, key, lookup, node }) {
    if (key === "rel" && tag.kind === "constant" && tag.value === "link") checkPreload(context, lookup, node);
  },
};

function checkPreload(context: RuleContext, lookup: (name: string) => Value | undefined, node: t.Node): void {
  const rel = lookup("rel");
  const runs = someTextMatches(rel, /\b(?:modulepreload|prerender)\b/i);
  const later =
    someTextMatches(rel, /\bpreload\b/i) &&
    someTextMatches(lookup("as"), /^(?:script|fetch|worker|document)$/i);
  if ((runs || later) && reachOf(lookup("href") ?? UNKNOWN) === "external")
    context.report("external-request", "medium", node);
}
