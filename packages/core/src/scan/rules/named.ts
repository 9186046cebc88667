import { ELEMENT_CALLBACKS } from "../interpreter/calls/methods.ts";
import { asText, taintOf } from "../interpreter/text/text.ts";
import { isText, options, PRIVATE, UNKNOWN, type Value } from "../interpreter/value.ts";
import { reachOf } from "./address.ts";
import { checkTemplate } from "./eval.ts";
import { checkInjectionByName, MAKERS } from "./injection.ts";
import { checkStyleCall } from "./leaks.ts";
import { checkClick, checkRedirectWrite, rememberForm } from "./redirect.ts";
import { checkFetchingCall, checkOpen, checkRequestWrite } from "./request.ts";
import type { NamedCall, Site } from "./site.ts";
import { rememberElement } from "./writes.ts";

/** Methods that a rule knows by name. */
const NAMED = new Set(
  (
    "insertAdjacentHTML createContextualFragment setHTMLUnsafe parseHTMLUnsafe unsafeHTML setAttribute setAttributeNS createAttribute createAttributeNS write writeln " +
    "html append prepend after before replaceWith wrap appendTo prependTo open click submit requestSubmit dispatchEvent parseFromString addModule " +
    "component fetch sendBeacon cloneElement insertRule addRule replaceSync setProperty appendChild __defineGetter__ __defineSetter__ setConfiguration"
  ).split(" "),
);

export function isNamed(name: string): boolean {
  return NAMED.has(name) || MAKERS.test(name);
}

/** Whether a method is looked at by its name, or calls what it is given. */
export function isHandled(name: string): boolean {
  return name === "then" || ELEMENT_CALLBACKS.has(name) || isNamed(name);
}

const FILLING = new Set(["append", "appendChild", "prepend"]);

/** What is put into an element that the file makes is its text. */
function fillElement(site: Site, { name, receiver, args }: NamedCall): void {
  if (!FILLING.has(name)) return;
  for (const element of options(receiver)) {
    if (element.kind !== "element") continue;
    for (const arg of args()) {
      if (isText(arg)) rememberElement(site, element, "textContent", arg);
      else if (arg.kind === "element" && arg.tag === "#text")
        rememberElement(site, element, "textContent", site.interpreter.member(arg, "data"));
    }
  }
}

/** A method that is known by its name alone. */
export function onNamedCall(site: Site, call: NamedCall): void {
  if (!isNamed(call.name)) return;
  checkClick(site, call);
  checkOpen(site, call);
  checkFetchingCall(site, call);
  checkStyleCall(site, call);
  if (call.name === "component") checkTemplate(site, call.name, call.args(2).slice(1), call.node);
  fillElement(site, call);
  checkInjectionByName(site, call);
  if (call.name !== "setAttribute" && call.name !== "setAttributeNS") return;
  const [key, value] = call.args().slice(call.name === "setAttributeNS" ? 1 : 0);
  if (key === undefined || value === undefined) return;
  for (const option of options(key)) setAttribute(site, call, asText(option).value.toLowerCase(), value);
}

/** `el.setAttribute(key, value)`, for one name that it may be. */
function setAttribute(site: Site, call: NamedCall, key: string, value: Value): void {
  const write = { owner: call.receiver, key, value, node: call.node };
  if (taintOf(value) & PRIVATE && reachOf(value) === "external")
    site.report("external-request", "high", call.node);
  // A name that is set as an attribute of an address is one of a form or a link.
  if (write.key === "ping" || write.key === "action" || write.key === "formaction") {
    if (reachOf(value) === "external") site.report("external-request", "medium", call.node);
    if (write.key === "action") rememberForm(site, "action", call.node, value);
  }
  for (const element of options(call.receiver)) {
    if (element.kind === "element") rememberElement(site, element, write.key, value);
  }
  checkRequestWrite(site, write);
  checkRedirectWrite(site, { ...write, owner: UNKNOWN });
}
