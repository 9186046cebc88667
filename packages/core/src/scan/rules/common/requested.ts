import type * as t from "@babel/types";
import { printed } from "../../interpreter/core/printed.ts";
import { asText, taintOf } from "../../interpreter/text/text.ts";
import { each, HOLE, OUTSIDE, options, PRIVATE, type Value } from "../../interpreter/value.ts";
import type { RuleContext } from "../rule.ts";
import { reachOf } from "./address.ts";
import { isOpenQuery } from "./shown.ts";

/** The address of a request. An address that is unknown from the file passes; one that the file hides is a finding. */
export function checkRequested(context: RuleContext, given: Value, node: t.Node): void {
  const address = each(given, (option) => printed(context.interpreter, option));
  const reach = reachOf(address);
  const carries = (taintOf(address) & PRIVATE) !== 0;
  // Wherever it leads, cookies or storage are carried there.
  if (reach === "unknown" && carries && options(address).some((one) => isOpenQuery(asText(one).value)))
    context.report("external-request", "medium", node);
  // Whoever makes the link to the page chooses what is asked.
  if (reach === "unknown" && options(address).some(isChosenOutside))
    context.report("external-request", "low", node);
  if (reach === "unknown") context.seen.requests.push(node);
  if (reach === "hidden") context.report("external-request", "high", node);
  else if (reach === "loopback") context.report("external-request", "low", node);
  else if (reach === "external") context.report("external-request", carries ? "high" : "medium", node);
}

/** An address that is read from the address of the page or a message as a whole. */
export function isChosenOutside(address: Value): boolean {
  const { value, taint } = asText(address);
  return (taint & OUTSIDE) !== 0 && (address.kind === "unknown" || value.startsWith(HOLE));
}

/** Whether a value leads to another host and tells of cookies or storage. */
export function carriesAway(value: Value): boolean {
  return (taintOf(value) & PRIVATE) !== 0 && reachOf(value) === "external";
}
