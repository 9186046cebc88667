import type * as t from "@babel/types";
import { hostMember } from "../interpreter/members/hosts.ts";
import { asText, taintOf } from "../interpreter/text/text.ts";
import { HOLE, options, PRIVATE, UNKNOWN, type Value } from "../interpreter/value.ts";
import { nameOfKey } from "../program/patterns.ts";
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
  // Under a name that is not known it may be any part of the address.
  const some = key.includes(HOLE) && owner.path === "location";
  if (some || (path !== null && PARTS.has(path))) goTo(site, value, node);
}

/** Whether a name that is not known may be `location`. */
export function mayNameAddress(key: string): boolean {
  if (!key.includes(HOLE)) return false;
  const known = key.split(HOLE);
  return "location".startsWith(known[0] ?? "") && "location".endsWith(known.at(-1) ?? "");
}

/** `window[key] = value`, of which neither is told, or only that the value is an address. */
export function checkAnyWrite(site: Site, value: Value, node: t.Node): void {
  const reach = reachOf(value);
  const open = options(value).some(({ kind }) => kind === "unknown");
  if (open || reach === "external" || reach === "code" || reach === "hidden")
    site.report("redirect", "medium", node);
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

/** Notes a form or a link that is given an address which is not one of the page's own. */
export function rememberForm(site: Site, key: "action" | "href", node: t.Node, address: Value): void {
  const reach = reachOf(address);
  // Links of unknown addresses are clicked to save a file.
  if (key === "href" && (reach === "unknown" || reach === "blob" || reach === "data")) return;
  if (reach === "home" || reach === "here") return;
  const written =
    node.type === "AssignmentExpression" && node.left.type === "MemberExpression"
      ? writtenAs(site, node.left.object)
      : node.type === "CallExpression" &&
          node.callee.type === "MemberExpression" &&
          nameOfKey(node.callee.property).startsWith("setAttribute")
        ? writtenAs(site, node.callee.object)
        : null;
  if (key === "action") site.forms.add(written ?? "?");
  else if (written !== null) site.forms.add(`${written}.href`);
}

/** `querySelector("a")` and the like, where the file has a link that leads elsewhere. */
function findsLink({ forms }: Site, object: t.Node): boolean {
  if (object.type !== "CallExpression" && object.type !== "OptionalCallExpression") return false;
  const [first] = object.arguments;
  if (first?.type !== "StringLiteral" || !("property" in object.callee)) return false;
  const selector = nameOfKey(object.callee.property).endsWith("ById") ? `#${first.value}` : first.value;
  if (forms.has(selector)) return true;
  return forms.has("<a>") && /(?:^|[\s>+~,])a(?:[.#[:][^\s>+~]*)?$/i.test(selector.trim());
}

/** A form that was given an address and is submitted, or a link that was and is clicked. */
function checkSubmit(site: Site, name: string, node: t.Node): void {
  if (site.forms.size === 0) return;
  const callee =
    node.type === "CallExpression" || node.type === "OptionalCallExpression" ? node.callee : null;
  const object =
    callee?.type === "MemberExpression" || callee?.type === "OptionalMemberExpression" ? callee.object : null;
  const borrowed =
    callee !== null && "property" in callee && /^(?:call|apply)$/.test(nameOfKey(callee.property));
  const written = object === null || borrowed ? null : writtenAs(site, object);
  if (name === "click" || name === "dispatchEvent") {
    if (object !== null && findsLink(site, object)) site.report("redirect", "medium", node);
    if (written !== null && site.forms.has(`${written}.href`)) site.report("redirect", "medium", node);
    return;
  }
  if (
    site.forms.has("?") ||
    written === null ||
    site.forms.has(written) ||
    (name === "submit" && site.forms.has(`${written}.submit`))
  )
    site.report("redirect", "medium", node);
}

/** Longer expressions are not told apart. */
const WRITTEN = 120;

/** How an object is written, so that the same one is known elsewhere; null for a long expression. */
export function writtenAs({ source }: Site, { start, end }: t.Node): string | null {
  const text = source.slice(start ?? 0, end ?? 0);
  return text.length > WRITTEN ? null : text.replace(/[\s?!]/g, "");
}

/** A link of an unknown address that opens in the page's own window: nothing says that it saves a file. */
function leavesBy(site: Site, link: Value, address: Value | undefined): boolean {
  if (address === undefined || !options(address).some(({ kind }) => kind === "unknown")) return false;
  const held = site.interpreter.elementWrites.get(link);
  if (held?.has("download") === true) return false;
  const target = held?.get("target");
  return target === undefined
    ? false
    : options(target).some((option) => OWN_WINDOWS.test(asText(option).value));
}

/** A link or form that the file makes itself, points outside and clicks or submits. */
export function checkClick(site: Site, { name: called, receiver, node }: NamedCall): void {
  // Of an event that is dispatched to a link, nothing but a click would be of use.
  const name = called === "dispatchEvent" ? "click" : called;
  if (name !== "click" && name !== "submit" && name !== "requestSubmit") return;
  checkSubmit(site, called, node);
  if (name === "click" && options(receiver).some(({ kind }) => kind !== "element"))
    site.seen.clicks.push(node);
  for (const option of options(receiver)) {
    if (option.kind !== "element") continue;
    const address = site.interpreter.elementWrites.get(option)?.get(name === "click" ? "href" : "action");
    const reach = address === undefined ? "unknown" : reachOf(address);
    if (reach === "external" || reach === "code" || reach === "hidden" || leavesBy(site, option, address))
      site.report("redirect", "medium", node);
    if (name !== "click" && reach === "external") site.report("external-request", "medium", node);
  }
}
