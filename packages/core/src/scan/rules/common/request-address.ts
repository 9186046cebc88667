import type * as t from "@babel/types";
import { toPrimitive } from "../../interpreter/core/conversions.ts";
import { asText, taintOf } from "../../interpreter/text/text.ts";
import { each, HOLE, options, PRIVATE, UNTRUSTED, type Value } from "../../interpreter/value.ts";
import type { RuleContext } from "../rule.ts";
import { reachOf } from "./address.ts";
import { hasUnknownQuery } from "./content-address.ts";

/** Checks the address of a request. An unknown address passes; an address that the file hides is a finding. */
export function checkRequestAddress(context: RuleContext, given: Value, node: t.Node): void {
  const address = each(given, (option) => toPrimitive(context.interpreter, option));
  const reach = reachOf(address);
  const carries = (taintOf(address) & PRIVATE) !== 0;
  // Wherever the address points to, cookies or storage are sent there.
  if (reach === "unknown" && carries && options(address).some((one) => hasUnknownQuery(asText(one).value)))
    context.report("external-request", "medium", node);
  // Whoever writes a link to the page chooses the address of the request.
  if (reach === "unknown" && options(address).some(isUntrustedAddress))
    context.report("external-request", "low", node);
  if (reach === "unknown") context.collected.requests.push(node);
  if (reach === "hidden") context.report("external-request", "high", node);
  else if (reach === "loopback") context.report("external-request", "low", node);
  else if (reach === "external") context.report("external-request", carries ? "high" : "medium", node);
}

/** An address that is taken as a whole from the page's URL or from a message. */
export function isUntrustedAddress(address: Value): boolean {
  const { value, taint } = asText(address);
  return (taint & UNTRUSTED) !== 0 && (address.kind === "unknown" || value.startsWith(HOLE));
}

/** Whether a value points to another host and contains cookies or storage. */
export function sendsPrivateData(value: Value): boolean {
  return (taintOf(value) & PRIVATE) !== 0 && reachOf(value) === "external";
}
