import type * as t from "@babel/types";
import { type Arguments, invocationsOf } from "../../interpreter/calls/invocation.ts";
import { options, type Value } from "../../interpreter/value.ts";
import { isElementFactory } from "../common/element-factories.ts";
import { isSetter } from "../common/setters.ts";
import type { HostCall, RuleContext } from "../rule.ts";
import { onProps } from "./props.ts";
import { onSetter } from "./setters.ts";

/** A call of a function of the page or of a package. */
export function onHostCall(context: RuleContext, path: string, args: Arguments, node: t.Node): void {
  if (!context.rules.isPathChecked(path)) return;
  const made = isElementFactory(path.slice(path.lastIndexOf(".") + 1));
  // Only three: the children of an element are arguments too, and so are their children, and so on.
  const call: HostCall = { path, args: made ? args(3) : args(), node };
  if (isSetter(path)) onSetter(context, call);
  for (const rule of context.rules.callsOf(path)) rule.onCall?.(context, call);
  if (made) onProps(context, call.args, node);
  // A timer calls its function with the arguments after the delay.
  if (path === "setTimeout" || path === "setInterval")
    dispatchCallback(context, call.args[0], call.args.slice(2), call.node);
}

/** Checks a callback that is called with `args`. */
export function dispatchCallback(
  context: RuleContext,
  callback: Value | undefined,
  args: Value[],
  node: t.Node,
): void {
  if (callback === undefined) return;
  for (const option of options(callback)) onUnknownCall(context, option, node);
  for (const { target, args: given } of invocationsOf(context.interpreter, callback, () => args)) {
    if (target.kind === "host" && !target.path.startsWith("setTimeout"))
      onHostCall(context, target.path.replace(".prototype.", "()."), given, node);
  }
}

/** A call or callback whose callee is no known function. */
export function onUnknownCall(context: RuleContext, target: Value, node: t.Node): void {
  if (target.kind === "unknown")
    for (const rule of context.rules.having.onUnknownCall) rule.onUnknownCall?.(context, target, node);
}
