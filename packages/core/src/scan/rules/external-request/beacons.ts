import { asText } from "../../interpreter/text/text.ts";
import { options } from "../../interpreter/value.ts";
import { reachOf } from "../common/address.ts";
import { hasUnknownQuery } from "../common/content-address.ts";
import { someTextMatches } from "../common/some-text-matches.ts";
import type { Rule } from "../rule.ts";

/** Elements that request the content they show. */
const SHOWING = new Set(["img", "iframe", "embed", "object", "video", "audio"]);

/** An invisible element shows nothing: its address sends data to another host. */
export const beacons: Rule = {
  id: "external-request",
  severity: "medium",
  onJsx(context, { tag, lookup, node }) {
    if (!SHOWING.has(tag)) return;
    const style = lookup("style");
    const unseen =
      someTextMatches(lookup("hidden"), /^(?:|true|hidden)$/) ||
      (someTextMatches(lookup("width"), /^[01](?:px)?$/) &&
        someTextMatches(lookup("height"), /^[01](?:px)?$/)) ||
      (style !== undefined &&
        options(style).some(
          (one) =>
            (one.kind === "object" || one.kind === "record") &&
            (someTextMatches(context.interpreter.member(one, "display"), /^none$/) ||
              someTextMatches(context.interpreter.member(one, "visibility"), /^hidden$/)),
        ));
    if (!unseen) return;
    for (const name of ["src", "data", "srcSet"]) {
      const address = lookup(name);
      if (address === undefined || reachOf(address) !== "external") continue;
      if (options(address).some((option) => hasUnknownQuery(asText(option).value)))
        context.report("external-request", "medium", node);
    }
  },
};
