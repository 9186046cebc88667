import type { Interpreter } from "../../interpreter/interpreter.ts";
import { deepTaint } from "../../interpreter/members/deep-taint.ts";
import { namesOf } from "../../interpreter/members/objects.ts";
import { asText } from "../../interpreter/text/text.ts";
import { isText, options, PRIVATE, UNKNOWN, type Value } from "../../interpreter/value.ts";
import type { HostCall, MethodCall, Rule, RuleContext } from "../rule.ts";

/** Data that is passed to other pages and programs: messages to any page, and shared content. */
export const messages: Rule = {
  id: "external-request",
  severity: "high",
  calls: (path) => path === "postMessage" || path === "navigator.share",
  onCall(context, { path, args, node }) {
    if (path === "postMessage") checkMessage(context, args, node);
    else if (deepTaint(context.interpreter, args[0] ?? UNKNOWN) & PRIVATE)
      context.report("external-request", "high", node);
  },
  methods: (name) => name === "postMessage",
  onMethod: checkUnknownWindow,
};

/** A message with cookies or storage to an unknown window, whatever target origin it states. */
function checkUnknownWindow(context: RuleContext, { args, receiver, node }: MethodCall): void {
  const [data, target] = args();
  if (data === undefined || target === undefined || receiver.kind !== "unknown") return;
  if (deepTaint(context.interpreter, data) & PRIVATE) context.report("external-request", "high", node);
}

/** A message to any origin: `"*"`. */
function checkMessage(
  { interpreter, report }: RuleContext,
  [data, target]: Value[],
  node: HostCall["node"],
): void {
  if (data === undefined || target === undefined) return;
  const named = options(target).map((option) =>
    option.kind === "object" || option.kind === "record"
      ? interpreter.member(option, "targetOrigin")
      : option,
  );
  const open = named.some((one) => isText(one) && asText(one).value === "*");
  if (!open) return;
  if (deepTaint(interpreter, data) & PRIVATE) report("external-request", "high", node);
  // A literal or computed value, such as a height, is harmless; a value that is only passed on may be anything.
  else if (options(data).some((one) => one.kind === "unknown" || forwardsUnknownValues(interpreter, one)))
    report("external-request", "low", node);
}

/** Names of members that describe a message or the size of a page: harmless. */
const ORDINARY_NAMES =
  /type|kind|event|action|method|command|source|name|id|height|width|size|scroll|ready|load|stat/i;

/** Whether an object contains only unknown values, under names that no ordinary message has. */
function forwardsUnknownValues(interpreter: Interpreter, value: Value): boolean {
  if (value.kind === "list")
    return value.items.length > 0 && value.items.every(({ kind }) => kind === "unknown");
  const names = value.kind === "object" ? namesOf(interpreter, value) : [];
  return (
    names.length > 0 &&
    !names.some((name) => ORDINARY_NAMES.test(name)) &&
    names.every((name) => isUnknownOrPageData(interpreter.member(value, name)))
  );
}

/** An unknown value, or one that describes the page: its address, its title. */
function isUnknownOrPageData(value: Value): boolean {
  return value.kind === "unknown" || (value.kind === "host" && /^(?:location|document)\b/.test(value.path));
}
