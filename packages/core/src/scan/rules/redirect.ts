import type * as t from "@babel/types";
import { hostMember } from "../values/hosts.ts";
import { asText, taintOf } from "../values/text.ts";
import { options, PRIVATE, UNKNOWN, type Value } from "../values/value.ts";
import { reachOf } from "./address.ts";
import type { HostCall, NamedCall, Site, Write } from "./site.ts";

/** Parts of the address that load another page when they are set; `hash` does not. */
const PARTS = new Set([
  "location",
  ...["href", "protocol", "host", "hostname", "port", "pathname", "search"].map((part) => `location.${part}`),
]);
const CALLS = new Set(["location.assign", "location.replace", "navigation.navigate"]);
/** Windows that are the page itself or the one around it. */
const OWN_WINDOWS = /^_(?:self|top|parent)$/i;

export function isRedirectSink(path: string): boolean {
  return CALLS.has(path) || path === "open";
}

/** Calls that take the reader to another page. */
export function checkRedirect(site: Site, { path, args, node }: HostCall): void {
  const [first, second] = args;
  if (CALLS.has(path)) goTo(site, first ?? UNKNOWN, node);
  if (path === "open" && first !== undefined) {
    if (reachOf(first) === "code" || reachOf(first) === "data") site.report("script-injection", "high", node);
    if (reachOf(first) === "external" && taintOf(first) & PRIVATE)
      site.report("external-request", "high", node);
    const own =
      second !== undefined && options(second).some((option) => OWN_WINDOWS.test(asText(option).value));
    if (own) goTo(site, first, node);
  }
}

/** `location = …` and `location.part = …` under any name. */
export function checkRedirectWrite(site: Site, { owner, key, value, node }: Write): void {
  if (isRefresh(key, value)) site.report("redirect", "medium", node);
  if (owner.kind !== "host") return;
  const path = hostMember(owner.path, key);
  if (path !== null && PARTS.has(path)) goTo(site, value, node);
}

/** What makes a `<meta>` load another page. */
export function isRefresh(key: string, value: Value): boolean {
  return (
    /^http-?equiv$/i.test(key) && options(value).some((option) => /^refresh$/i.test(asText(option).value))
  );
}

/** Opening a page in this window. Its own address with another fragment, or just itself again, is no redirect. */
export function goTo(site: Site, to: Value, node: t.Node): void {
  const reach = reachOf(to);
  const again = options(to).every((option) => option.kind === "host" && option.path.startsWith("location"));
  if (reach === "here" || again) return;
  site.report(
    "redirect",
    reach === "home" ? "low" : reach === "code" || reach === "hidden" ? "high" : "medium",
    node,
  );
  if (reach === "code" || reach === "data") site.report("script-injection", "high", node);
}

/** A link or form that the file makes itself, points outside and clicks or submits. */
export function checkClick(site: Site, { name: called, receiver, node }: NamedCall): void {
  // Of an event that is dispatched to a link, nothing but a click would be of use.
  const name = called === "dispatchEvent" ? "click" : called;
  if (name !== "click" && name !== "submit" && name !== "requestSubmit") return;
  for (const option of options(receiver)) {
    if (option.kind !== "element") continue;
    const address = site.tracer.elementWrites.get(option)?.get(name === "click" ? "href" : "action");
    const reach = address === undefined ? "unknown" : reachOf(address);
    if (reach === "external" || reach === "code" || reach === "hidden")
      site.report("redirect", "medium", node);
    if (name !== "click" && reach === "external") site.report("external-request", "medium", node);
  }
}
