import type * as t from "@babel/types";
import { asText } from "../../interpreter/text/text.ts";
import { options, type Value } from "../../interpreter/value.ts";
import type { RuleContext } from "../rule.ts";
import { reachOf } from "./address.ts";
import { isDocument } from "./tags.ts";

/** Attributes and properties whose value a browser follows or runs as an address. */
const LINKS = new Set([
  "href",
  "src",
  "action",
  "formaction",
  "data",
  "xlink:href",
  "formAction",
  "xlinkHref",
]);

export function isLink(key: string): boolean {
  return LINKS.has(key);
}

/** Reports a link that is a script, or a page that contains one. */
export function checkLink({ report }: RuleContext, value: Value, node: t.Node): void {
  const reach = reachOf(value);
  if (reach === "code") report("script-injection", "high", node);
  if (reach === "data" && options(value).some((option) => isDocument(asText(option).value)))
    report("script-injection", "high", node);
}
