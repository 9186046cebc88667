import { asText } from "../../interpreter/text/text.ts";
import { constant, options } from "../../interpreter/value.ts";
import { isElementFactory } from "../common/element-factories.ts";
import type { MethodCall, RuleContext } from "../rule.ts";
import { recordElementWrite, recordInsertedText } from "./elements.ts";
import { onProps } from "./props.ts";

/** A call of a method that is known by its name alone. */
export function onMethodCall(context: RuleContext, call: MethodCall): void {
  for (const rule of context.rules.methodsOf(call.name)) rule.onMethod?.(context, call);
  recordInsertedText(context, call);
  if (isElementFactory(call.name)) onProps(context, call.args(3), call.node);
  else if (call.name === "cloneElement")
    onProps(context, [constant("*"), ...call.args(2).slice(1)], call.node);
  if (call.name !== "setAttribute" && call.name !== "setAttributeNS") return;
  const [key, value] = call.args().slice(call.name === "setAttributeNS" ? 1 : 0);
  if (key === undefined || value === undefined) return;
  for (const option of options(key)) {
    const write = {
      owner: call.receiver,
      key: asText(option).value.toLowerCase(),
      value,
      node: call.node,
    };
    for (const element of options(call.receiver))
      if (element.kind === "element") recordElementWrite(context, element, write.key, value);
    for (const rule of context.rules.having.onAttribute) rule.onAttribute?.(context, write);
  }
}
