import type * as t from "@babel/types";
import { UNKNOWN, type Value } from "../../interpreter/value.ts";
import { reachOf } from "../common/address.ts";
import { isOne } from "../common/some-text-matches.ts";
import type { Rule, RuleContext } from "../rule.ts";

/** `<link rel="modulepreload">`: a program or page that is loaded ahead, to be run. */
export const preloaded: Rule = {
  id: "external-request",
  severity: "medium",
  onJsx(context, { tag, held, node }) {
    if (tag === "link") checkPreload(context, held, node);
  },
  onProp(context, { tag, key, held, node }) {
    if (key === "rel" && tag.kind === "constant" && tag.value === "link") checkPreload(context, held, node);
  },
};

function checkPreload(context: RuleContext, held: (name: string) => Value | undefined, node: t.Node): void {
  const rel = held("rel");
  const runs = isOne(rel, /\b(?:modulepreload|prerender)\b/i);
  const later = isOne(rel, /\bpreload\b/i) && isOne(held("as"), /^(?:script|fetch|worker|document)$/i);
  if ((runs || later) && reachOf(held("href") ?? UNKNOWN) === "external")
    context.report("external-request", "medium", node);
}
