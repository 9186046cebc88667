import { keysOf } from "../../interpreter/members/objects.ts";
import { isText, options, type Value } from "../../interpreter/value.ts";
import { reachOf } from "../common/address.ts";
import type { Rule, RuleContext } from "../rule.ts";

/** Functions of the browser that contact a host named anywhere in their arguments. */
const CALLS = new Set([
  "PaymentRequest",
  "PresentationRequest",
  "navigator.registerProtocolHandler",
  "navigator.credentials.get",
]);

export const namedHosts: Rule = {
  id: "external-request",
  severity: "medium",
  calls: (path) => CALLS.has(path),
  onCall(context, { args, node }) {
    if (containsExternalAddress(context, args, 0)) context.report("external-request", "medium", node);
  },
};

/** Parts of an object, and levels of nesting, that are searched for addresses. */
const PARTS = 32;
const DEPTH = 5;

/** Whether values or their parts contain an address of another host. */
function containsExternalAddress(context: RuleContext, values: readonly Value[], depth: number): boolean {
  if (depth > DEPTH) return false;
  return values.slice(0, PARTS).some((value) =>
    options(value).some((option) => {
      if (isText(option)) return reachOf(option) === "external";
      const held =
        option.kind === "list"
          ? option.items
          : keysOf(option).map((key) => context.interpreter.member(option, key));
      return containsExternalAddress(context, held, depth + 1);
    }),
  );
}
