import type * as t from "@babel/types";
import { pay } from "../interpreter/budget.ts";
import { printed } from "../interpreter/core/printed.ts";
import { asText, taintOf } from "../interpreter/text/text.ts";
import {
  DECODED,
  each,
  HIDDEN,
  HOLE,
  isText,
  options,
  PRIVATE,
  SPELLED,
  UNKNOWN,
  unknown,
  type Value,
} from "../interpreter/value.ts";
import { addressesOfStyle, reachOf } from "./address.ts";
import { checkProgram } from "./eval.ts";
import { checkShown, hidesInStyle, isLoading, isOpenQuery } from "./hidden.ts";
import { isStyleName } from "./leaks.ts";
import type { HostCall, NamedCall, Site, Write } from "./site.ts";
import { tellsField } from "./unseen.ts";

/** Calls that send a request, and which argument is the address. */
const ADDRESS_AT: Record<string, number> = {
  fetch: 0,
  Request: 0,
  EventSource: 0,
  WebSocket: 0,
  WebTransport: 0,
  Audio: 0,
  fetchLater: 0,
  Worker: 0,
  SharedWorker: 0,
  import: 0,
  importScripts: 0,
  "navigator.sendBeacon": 0,
  "navigator.serviceWorker.register": 0,
  "caches.open().add": 0,
  "caches.open().addAll": 0,
  "npm:react-dom.preinit": 0,
  "npm:react-dom.preinitModule": 0,
  "XMLHttpRequest().open": 1,
};

/** Libraries that send requests; their functions take the address first or in an object. */
const LIBRARIES =
  /^(?:npm:(?:axios|ky|got|superagent|node-fetch|cross-fetch|isomorphic-fetch|isomorphic-unfetch|unfetch|whatwg-fetch|undici|ofetch|wretch|request|needle|phin|bent|redaxios|swr|socket\.io-client|graphql-request|eventsource|reconnecting-websocket|ws|jsonp|fetch-jsonp|https?|@microsoft\/fetch-event-source|jquery)(?:\/[\w-]+)*(?:\.\w+)?|(?:axios|superagent|ky)(?:\.\w+)?|io)$/;
const JQUERY = /^(?:\$|jQuery)\.(?:ajax|get|post|getJSON|getScript|load)$/;
/** Members of those libraries that send nothing. */
const QUIET =
  /\.(?:isCancel|isAxiosError|Agent|STATUS_CODES|createServer|mutate|preload|Headers|AbortController|param|each|extend|fn)$/;
const METHOD = /^(?:get|post|put|delete|patch|head|options)$/i;
/** Elements that fetch what their address names as soon as it is set. */
const FETCHING = new Set([
  "script",
  "img",
  "iframe",
  "frame",
  "embed",
  "object",
  "link",
  "audio",
  "video",
  "source",
  "track",
]);

export function isRequestSink(path: string): boolean {
  return Object.hasOwn(ADDRESS_AT, path) || LIBRARIES.test(path) || JQUERY.test(path);
}

/** Requests to other hosts. An address that the file does not tell is let pass, one that it hides is not. */
export function checkRequest(site: Site, { path, args, node }: HostCall): void {
  const at = Object.hasOwn(ADDRESS_AT, path) ? ADDRESS_AT[path] : undefined;
  if (at !== undefined) {
    const addresses = path === "importScripts" ? args : args.slice(at, at + 1);
    for (const address of addresses.flatMap((one) => (one.kind === "list" ? one.items : [one])))
      checkAddress(site, address, node);
  } else if ((LIBRARIES.test(path) && !QUIET.test(path)) || JQUERY.test(path)) {
    for (const arg of args.slice(0, 2))
      for (const address of addressesIn(site, arg)) checkAddress(site, address, node);
  }
}

/** The argument itself, or what an options object holds as its address. */
function addressesIn(site: Site, arg: Value): Value[] {
  return options(arg).flatMap((option) => {
    if (option.kind !== "object" && option.kind !== "record") return [option];
    const found = ["url", "baseURL", "prefixUrl", "uri", "baseUrl"].map((key) =>
      site.interpreter.member(option, key),
    );
    // Node's own requests name the host alone.
    const named = ["hostname", "host"].map((key) => site.interpreter.member(option, key));
    const hosts = named.flatMap((value): Value[] =>
      value.kind === "constant" && typeof value.value === "string"
        ? [{ ...value, value: `//${value.value}` }]
        : [],
    );
    return [...found.filter((value) => value.kind !== "method" && value.kind !== "unknown"), ...hosts];
  });
}

export function checkAddress(site: Site, given: Value, node: t.Node): void {
  const address = each(given, (option) => printed(site.interpreter, option));
  const reach = reachOf(address);
  // Wherever it leads, cookies or storage are carried there.
  if (reach === "unknown" && taintOf(address) & PRIVATE) {
    if (options(address).some((option) => isOpenQuery(asText(option).value)))
      site.report("external-request", "medium", node);
  }
  if (reach === "unknown") site.seen.requests.push(node);
  if (reach === "hidden") site.report("external-request", "high", node);
  else if (reach === "loopback") site.report("external-request", "low", node);
  else if (reach === "external") {
    site.report("external-request", taintOf(address) & PRIVATE ? "high" : "medium", node);
  }
}

/** Methods that fetch something, whatever has them. */
export function checkFetchingCall(site: Site, { name, args, node }: NamedCall): void {
  if (name === "addModule") {
    const address = args()[0] ?? UNKNOWN;
    checkAddress(site, address, node);
    checkProgram(site, address, node);
  } else if (name === "fetch" || name === "sendBeacon") {
    // A method of that name takes the address first and is a library's; that of background fetches takes it second.
    for (const arg of name === "fetch" ? args().slice(1, 2) : args().slice(0, 1))
      for (const address of arg.kind === "list" ? arg.items : [arg]) checkAddress(site, address, node);
  }
}

/** `x.open("GET", "https://…")`, whatever x is. */
export function checkOpen(site: Site, { name, args, node }: NamedCall): void {
  if (name !== "open") return;
  const [method, address] = args();
  if (method === undefined || address === undefined) return;
  if (options(method).some((option) => METHOD.test(asText(option).value))) checkAddress(site, address, node);
}

/** Addresses that may be shown, but may carry nothing away. */
const PRIVATELY = new Set(["background", "poster", "ping", "location"]);

/** Elements that fetch: those the file makes, and any whose address carries cookies or storage away. */
export function checkRequestWrite(site: Site, { owner, key, value, node }: Write): void {
  if (key === "baseURL") {
    if (owner.kind === "host" && /^(?:npm:)?axios/.test(owner.path)) checkAddress(site, value, node);
    return;
  }
  if (isStyleName(key)) checkStyle(site, value, node);
  if (PRIVATELY.has(key) && taintOf(value) & PRIVATE && reachOf(value) === "external")
    site.report("external-request", "high", node);
  if (key === "poster") checkShown(site, value, node);
  if (key !== "src" && key !== "href" && key !== "data" && key !== "action" && key !== "srcset") return;
  if (key === "href" && owner.kind === "element" && owner.tag === "base") checkBase(site, value, node);
  const own = options(owner).some((option) => option.kind === "element" && FETCHING.has(option.tag));
  // A picture is drawn letter by letter for good reasons.
  if (own && key !== "action")
    checkAddress(
      site,
      each(value, (option) => drawn(option)),
      node,
    );
  else if (isLoading("", key)) checkShown(site, value, node);
  if (!own && taintOf(value) & PRIVATE && reachOf(value) === "external")
    site.report("external-request", "high", node);
}

/** Something unknown, whether it was spelled or not. */
function drawn(value: Value): Value {
  return value.kind === "unknown" && value.taint & SPELLED ? unknown(value.taint & ~SPELLED) : value;
}

/** A `<base>` of another host, from which every relative script and request is fetched. */
export function checkBase(site: Site, value: Value, node: t.Node): void {
  if (reachOf(value) === "external") site.report("script-injection", "medium", node);
}

/** What reading a character of a style takes, beside copying it. */
const READING = 8;

/** A style that fetches from a hidden address, or carries cookies or storage to another host. */
export function checkStyle(site: Site, value: Value, node: t.Node): void {
  let loads = false;
  const leaks = options(value).some((option) => {
    if (!isText(option)) return false;
    const { value: style, taint } = asText(option);
    const watched = taint & (PRIVATE | DECODED | HIDDEN);
    loads ||= loadsByPieces(site, style, node);
    const field = style.includes("value");
    if (watched === 0 && !field && !style.includes("\\")) return false;
    // Reading a style takes several times what copying it takes; what is not read may carry anything.
    if (!pay(READING * style.length)) return true;
    if (field && tellsField(style)) return true;
    if (hidesInStyle(site, style, taint)) return true;
    return (taint & PRIVATE) !== 0 && addressesOfStyle(style).some(({ reach }) => reach === "external");
  });
  if (leaks) site.report("external-request", "high", node);
  else if (loads) site.report("external-request", "low", node);
}

const LOADING = /url\(|@import/i;
/** What stands before an address in a style is looked for with it. */
const BEFORE = 8;
/** Addresses of one style that are looked for. */
const LOOKED = 16;

/** What a style loads from another host by an address that is not written out as it is. */
function loadsByPieces(site: Site, style: string, node: t.Node): boolean {
  const own = node.type === "JSXAttribute" || node.type === "TaggedTemplateExpression";
  const key = own ? style : ` ${style}`;
  let loads = site.styles.get(key);
  if (loads !== undefined) return loads;
  const outside = LOADING.test(style)
    ? addressesOfStyle(style).filter(({ reach }) => reach === "external")
    : [];
  if (outside.some(({ text }) => text.includes(HOLE))) site.seen.loads.push(node);
  loads = outside.slice(0, LOOKED).some(({ text, at }) => {
    const [address = ""] = text.split(/["')]/, 1);
    // Of the style of one element, and of the styles of a library, the address is enough.
    const written = own ? address : style.slice(Math.max(0, at - BEFORE), at) + address;
    return !pay(site.source.length >> 2) || !site.source.includes(written);
  });
  site.styles.set(key, loads);
  return loads;
}

/** A module named in an import or export declaration. */
export function checkSource(site: Site, node: t.StringLiteral): void {
  const address: Value = { kind: "constant", value: node.value, taint: 0 };
  if (reachOf(address) !== "unknown") checkAddress(site, address, node);
  const reach = reachOf(address);
  if (reach === "data" || reach === "blob" || reach === "code") site.report("eval", "high", node);
}
