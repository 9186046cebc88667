import type * as t from "@babel/types";
import { asText } from "../interpreter/text/text.ts";
import { constant, options, UNKNOWN, type Value } from "../interpreter/value.ts";
import { addressesOfStyle, reachOf } from "./address.ts";
import { isOpenQuery } from "./hidden.ts";
import { checkTags } from "./markup.ts";
import type { Site } from "./site.ts";

const isOne = (value: Value | undefined, pattern: RegExp) =>
  value !== undefined && options(value).some((option) => pattern.test(asText(option).value.trim()));

/** `<link rel="modulepreload">`: what is loaded ahead so as to be run. */
export function checkPreload(site: Site, held: (name: string) => Value | undefined, node: t.Node): void {
  const rel = held("rel");
  const runs = isOne(rel, /\b(?:modulepreload|prerender)\b/i);
  const later = isOne(rel, /\bpreload\b/i) && isOne(held("as"), /^(?:script|fetch|worker|document)$/i);
  if ((runs || later) && reachOf(held("href") ?? UNKNOWN) === "external")
    site.report("external-request", "medium", node);
}

/** What nobody sees shows nothing: its address carries something to another host. */
export function checkBeacon(site: Site, held: (name: string) => Value | undefined, node: t.Node): void {
  const style = held("style");
  const unseen =
    isOne(held("hidden"), /^(?:|true|hidden)$/) ||
    (isOne(held("width"), /^[01](?:px)?$/) && isOne(held("height"), /^[01](?:px)?$/)) ||
    (style !== undefined &&
      options(style).some(
        (one) =>
          (one.kind === "object" || one.kind === "record") &&
          (isOne(site.interpreter.member(one, "display"), /^none$/) ||
            isOne(site.interpreter.member(one, "visibility"), /^hidden$/)),
      ));
  if (!unseen) return;
  for (const name of ["src", "data", "srcSet"]) {
    const address = held(name);
    if (address === undefined || reachOf(address) !== "external") continue;
    if (options(address).some((option) => isOpenQuery(asText(option).value)))
      site.report("external-request", "medium", node);
  }
}

/** A selector by what is written into a field. */
const WRITTEN = /\[\s*value\s*[\^$*~|]?=/i;

/** Whether a style tells another host what is written into a field, letter by letter. */
export function tellsField(style: string): boolean {
  return WRITTEN.test(style) && addressesOfStyle(style).some(({ reach }) => reach === "external");
}

const MADE = ["createHTML", "createScript", "createScriptURL"];

/** `trustedTypes.createPolicy(name, { createHTML: (text) => text })`: what is to be checked passes as it is. */
export function checkPolicy(site: Site, rules: Value | undefined, node: t.Node): void {
  if (rules === undefined) return;
  const given = "<a policy>";
  for (const option of options(rules)) {
    if (option.kind !== "object" && option.kind !== "record") continue;
    for (const name of MADE) {
      const made = site.interpreter.member(option, name);
      const passed = site.interpreter.call(made, () => [constant(given)]);
      const returned = options(passed).some((one) => one.kind === "constant" && one.value === given);
      if (made.kind === "function" ? returned : made.kind === "host" && made.path === "String")
        site.report("script-injection", "low", node);
    }
  }
}

/** A page that the file makes as a `Blob`, so as to open it by its address. */
export function checkBlob(site: Site, [parts, settings]: readonly Value[], node: t.Node): void {
  if (parts?.kind !== "list" || settings === undefined || !site.source.includes("createObjectURL")) return;
  const type = options(settings).map((option) => site.interpreter.member(option, "type"));
  if (!type.some((one) => isOne(one, /html|svg|^text\/xml/i))) return;
  checkTags(site, parts.items.map((item) => asText(item).value).join(""), 0, node);
}
