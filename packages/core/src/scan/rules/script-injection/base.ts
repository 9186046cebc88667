import { reachOf } from "../common/address.ts";
import type { Rule } from "../rule.ts";

/** A `<base>` of another host, from which every relative script and request is fetched. */
export const base: Rule = {
  id: "script-injection",
  severity: "medium",
  properties: (key) => key === "href",
  onWrite(context, { owner, value, node }) {
    if (owner.kind === "element" && owner.tag === "base" && reachOf(value) === "external")
      context.report("script-injection", "medium", node);
  },
  onAttribute(context, { owner, key, value, node }) {
    const element = owner.kind === "element" && owner.tag === "base";
    if (key === "href" && element && reachOf(value) === "external")
      context.report("script-injection", "medium", node);
  },
  attributes: (name) => name === "href",
  onJsxAttribute(context, { tag, value, node }) {
    if (tag === "base" && reachOf(value) === "external") context.report("script-injection", "medium", node);
  },
};
