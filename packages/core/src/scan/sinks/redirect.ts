import type * as t from "@babel/types";
import { options } from "../alternatives.ts";
import { hostMember } from "../hosts.ts";
import { hasHole, UNKNOWN, type Value } from "../value.ts";
import { reachOf } from "./address.ts";
import type { Sink, SinkContext } from "./sink.ts";

/** Parts of the address that load another page when they are written; `hash` does not. */
const PARTS = /^location(?:\.(?:href|protocol|host|hostname|port|pathname|search))?$/;
const CALLS = /^(?:location\.(?:assign|replace)|navigation\.navigate)$/;

/** Reports redirects: acts that leave the page. */
export const redirectSink: Sink = (act, context) => {
  if (act.kind === "call") {
    const [first = UNKNOWN, second = UNKNOWN] = act.args;
    const isOwn =
      act.path === "open" &&
      options(second).some((name) => /^_(?:self|top|parent)$/i.test(context.text(name)));
    if (isOwn || CALLS.test(act.path ?? "")) leave(first, act.node, context);
  }
  if (act.kind !== "write") return;
  const { key, value, node } = act;
  for (const owner of options(act.owner)) {
    const part = owner.kind === "host" && !hasHole(key) ? hostMember(owner.path, key) : UNKNOWN;
    if (part.kind === "host" && PARTS.test(part.path)) leave(value, node, context);
    const isRefresh = /^http-?equiv$/i.test(key) && /^refresh$/i.test(context.text(value));
    if (isRefresh) context.report("redirect", "medium", node);
  }
};

/** Reports a redirect, `low` on the same site. Another fragment, or the page's own address again, is not a redirect. */
function leave(to: Value, node: t.Node, context: SinkContext): void {
  const reach = reachOf(to, context);
  const again = options(to).every((option) => option.kind === "host" && option.path.startsWith("location"));
  if (reach === "same-document" || again) return;
  context.report("redirect", reach === "same-site" ? "low" : reach === "unknown" ? "medium" : "high", node);
}
