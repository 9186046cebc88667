import { asText } from "../../interpreter/text/text.ts";
import { options } from "../../interpreter/value.ts";
import { reachOf } from "../common/address.ts";
import { isOne } from "../common/some-text-matches.ts";
import { isOpenQuery } from "../common/content-address.ts";
import type { Rule } from "../rule.ts";

/** Elements that request the content they show. */
const SHOWING = new Set(["img", "iframe", "embed", "object", "video", "audio"]);

/** An invisible element shows nothing: its address sends data to another host. */
export const beacons: Rule = {
  id: "external-request",
  severity: "medium",
  onJsx(context, { tag, held, node }) {
    if (!SHOWING.has(tag)) return;
    const style = held("style");
    const unseen =
      isOne(held("hidden"), /^(?:|true|hidden)$/) ||
      (isOne(held("width"), /^[01](?:px)?$/) && isOne(held("height"), /^[01](?:px)?$/)) ||
      (style !== undefined &&
        options(style).some(
          (one) =>
            (one.kind === "object" || one.kind === "record") &&
            (isOne(context.interpreter.member(one, "display"), /^none$/) ||
              isOne(context.interpreter.member(one, "visibility"), /^hidden$/)),
        ));
    if (!unseen) return;
    for (const name of ["src", "data", "srcSet"]) {
      const address = held(name);
      if (address === undefined || reachOf(address) !== "external") continue;
      if (options(address).some((option) => isOpenQuery(asText(option).value)))
        context.report("external-request", "medium", node);
    }
  },
};
