import type * as t from "@babel/types";
import type { Severity } from "../finding.ts";
import { hostMember } from "../hosts.ts";
import { hasHole, options, UNKNOWN, type Value } from "../value.ts";
import { leavesSite, type Reach, reachOf } from "./address.ts";
import type { Context, Sink } from "./sink.ts";

/** Parts of the address that load another page when they are written; `hash` does not. */
const PARTS = /^location(?:\.(?:href|protocol|host|hostname|port|pathname|search))?$/;
const CALLS = /^(?:location\.(?:assign|replace)|navigation\.navigate)$/;
const SEVERITIES: Partial<Record<Reach, Severity>> = { "same-site": "low", unknown: "medium" };

/** Leaving the page. */
export const redirectSink: Sink = (act, context) => {
  if (act.kind === "call") {
    const [first = UNKNOWN, second = UNKNOWN] = act.args;
    if (act.path !== null && CALLS.test(act.path)) leave(first, act.node, context);
    if (act.path === "open" && context.texts(second).some((name) => /^_(?:self|top|parent)$/i.test(name)))
      leave(first, act.node, context);
  }
  if (act.kind !== "write") return;
  const { owner, key, value, node } = act;
  for (const option of options(owner)) {
    if (option.kind === "host") {
      const part = hasHole(key) ? null : hostMember(option.path, key);
      if (part?.kind === "host" && PARTS.test(part.path)) leave(value, node, context);
      // Under a name that is not known it may be `location`.
      else if (part === null && /^(?:location)?$/.test(option.path) && leavesSite(reachOf(value, context)))
        context.report("redirect", "medium", node);
    } else if (key === "location" && option.kind === "unknown" && leavesSite(reachOf(value, context)))
      context.report("redirect", "medium", node);
    else if (key === "http-equiv" || key === "httpEquiv")
      if (context.texts(value).some((text) => /^refresh$/i.test(text)))
        context.report("redirect", "medium", node);
  }
};

/** Only another fragment, or the page's own address again, is no redirect. */
function leave(to: Value, node: t.Node, context: Context): void {
  const reach = reachOf(to, context);
  const again = options(to).every((option) => option.kind === "host" && option.path.startsWith("location"));
  if (reach === "same-document" || again) return;
  context.report("redirect", SEVERITIES[reach] ?? "high", node);
  if (reach === "code" || reach === "document") context.report("script-injection", "high", node);
}
