import { elementOf } from "../interpreter/core/definition.ts";
import type { Interpreter } from "../interpreter/interpreter.ts";
import { deepTaint } from "../interpreter/members/deep-taint.ts";
import { keysOf, namesOf } from "../interpreter/members/objects.ts";
import { asText, taintOf } from "../interpreter/text/text.ts";
import { isText, options, PRIVATE, UNKNOWN, type Value } from "../interpreter/value.ts";
import { reachOf, reachOfText } from "./address.ts";
import { checkStyle } from "./request.ts";
import type { HostCall, NamedCall, Site, Write } from "./site.ts";

/** Calls that take a style, and which argument it is. */
const STYLE_AT: Record<string, number> = {
  FontFace: 1,
  "CSSStyleSheet().replace": 0,
  "CSSStyleSheet().replaceSync": 0,
};
/** Calls of the browser that ask a host which stands somewhere in what they are given. */
const TOLD = new Set([
  "PaymentRequest",
  "PresentationRequest",
  "navigator.registerProtocolHandler",
  "navigator.credentials.get",
]);
const PEERS = new Set(["RTCPeerConnection", "webkitRTCPeerConnection", "setConfiguration"]);

/** Whether calls of a path carry data to others by another way than a request. */
export function isLeakSink(path: string): boolean {
  return (
    Object.hasOwn(STYLE_AT, path) ||
    PEERS.has(path) ||
    TOLD.has(path) ||
    path === "postMessage" ||
    path === "navigator.share"
  );
}

/** Cookies or storage that are carried away, and connections to named servers. */
export function checkLeak(site: Site, { path, args, node }: HostCall): void {
  const at = Object.hasOwn(STYLE_AT, path) ? STYLE_AT[path] : undefined;
  if (at !== undefined) checkStyle(site, args[at] ?? UNKNOWN, node);
  else if (PEERS.has(path)) checkPeer(site, { path, args, node });
  else if (TOLD.has(path)) {
    if (namesAnother(site, args, 0)) site.report("external-request", "medium", node);
  } else if (path === "postMessage") checkMessage(site, args, node);
  else if (path === "navigator.share" && deepTaint(site.interpreter, args[0] ?? UNKNOWN) & PRIVATE)
    site.report("external-request", "high", node);
}

/** Parts of an object, and objects inside one another, that are looked through for addresses. */
const PARTS = 32;
const DEPTH = 5;

/** Whether an address of another host is among values or what they hold. */
function namesAnother(site: Site, values: readonly Value[], depth: number): boolean {
  if (depth > DEPTH) return false;
  return values.slice(0, PARTS).some((value) =>
    options(value).some((option) => {
      if (isText(option)) return reachOf(option) === "external";
      const held =
        option.kind === "list"
          ? option.items
          : keysOf(option).map((key) => site.interpreter.member(option, key));
      return namesAnother(site, held, depth + 1);
    }),
  );
}

/** A message to whatever page is there: `"*"`. */
function checkMessage({ interpreter, report }: Site, [data, target]: Value[], node: HostCall["node"]): void {
  if (data === undefined || target === undefined) return;
  const named = options(target).map((option) =>
    option.kind === "object" || option.kind === "record"
      ? interpreter.member(option, "targetOrigin")
      : option,
  );
  const open = named.some((one) => isText(one) && asText(one).value === "*");
  if (!open) return;
  if (deepTaint(interpreter, data) & PRIVATE) report("external-request", "high", node);
  // What is written out, such as a height, is a message; what is only handed on may be anything.
  else if (options(data).some((one) => one.kind === "unknown" || handsOn(interpreter, one)))
    report("external-request", "low", node);
}

/** What messages say of themselves, and of the size of a page. */
const SAID = /type|kind|event|action|method|command|source|name|id|height|width|size|scroll|ready|load|stat/i;

/** Whether an object holds only what is not known, under names that tell nothing. */
function handsOn(interpreter: Interpreter, value: Value): boolean {
  if (value.kind === "list")
    return value.items.length > 0 && value.items.every(({ kind }) => kind === "unknown");
  const names = value.kind === "object" ? namesOf(interpreter, value) : [];
  return (
    names.length > 0 &&
    !names.some((name) => SAID.test(name)) &&
    names.every((name) => interpreter.member(value, name).kind === "unknown")
  );
}

/** A peer connection asks the servers that it is given for its own address. */
function checkPeer(site: Site, { args, node }: HostCall): void {
  const servers = site.interpreter.member(args[0] ?? UNKNOWN, "iceServers");
  for (const server of options(elementOf(servers))) {
    for (const key of ["urls", "url"]) {
      const named = site.interpreter.member(server, key);
      const address = named.kind === "list" ? elementOf(named) : named;
      if (options(address).some((one) => isText(one)))
        site.report("external-request", taintOf(address) & PRIVATE ? "high" : "medium", node);
    }
  }
}

/** Methods that take a style or fill an element, whatever has them, and where the style may be among the arguments. */
const STYLED_CALLS = new Set([
  "insertRule",
  "addRule",
  "replaceSync",
  "setProperty",
  "append",
  "appendChild",
  "prepend",
]);

/** Styles that are given to a method. */
export function checkStyleCall(site: Site, { name, args, node }: NamedCall): void {
  if (name === "setConfiguration") checkPeer(site, { path: name, args: args(), node });
  if (!STYLED_CALLS.has(name)) return;
  for (const arg of args()) {
    const held = arg.kind === "element" && arg.tag === "#text" ? site.interpreter.member(arg, "data") : arg;
    checkStyle(site, held, node);
  }
}

/** Properties that hold styles, under the names of scripts and of styles. */
const STYLES =
  /^(?:--.*|(?:-?webkit-?)?(?:background|mask|border|list-?style)-?(?:image)?(?:-?source)?|cssText|cursor|content|filter|clip-?path|src|style|textContent|innerText|innerHTML|text)$/i;

export function isStyleName(key: string): boolean {
  return key.length < 40 && STYLES.test(key);
}

/** A `ping` tells another host of a click; a form of another host gets what is written into it. */
export function checkTold(site: Site, { owner, key, value, node }: Write): void {
  if (key === "ping" && reachOf(value) === "external") site.report("external-request", "medium", node);
  if (key === "action" || key === "formAction" || key === "formaction") {
    if (isForm(owner, node) && reachOf(value) === "external") site.report("external-request", "medium", node);
  }
}

/** A URL object of another host; it stands for its address, which a text has no such parts of. */
export function checkHost(site: Site, { owner, key, value, node }: Write): void {
  if (key === "href" && isText(owner) && reachOf(value) === "external")
    site.report("external-request", "medium", node);
  if ((key !== "host" && key !== "hostname") || (owner.kind !== "constant" && owner.kind !== "text")) return;
  for (const option of options(value)) {
    if (isText(option) && reachOfText(`//${asText(option).value}`) === "external")
      site.report("external-request", "medium", node);
  }
}

const POSTING = new Set(["form", "button", "input"]);

/** A form that the file makes or finds among the page's, or a name that says so. */
function isForm(owner: Value, node: Write["node"]): boolean {
  if (owner.kind === "element") return POSTING.has(owner.tag);
  if (owner.kind === "host") return owner.path.startsWith("document.forms");
  if (node.type !== "AssignmentExpression" || node.left.type !== "MemberExpression") return false;
  const { object } = node.left;
  return object.type === "Identifier" && /form/i.test(object.name);
}
