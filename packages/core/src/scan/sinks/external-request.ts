import type * as t from "@babel/types";
import { options, UNKNOWN, type Value } from "../value.ts";
import { leavesSite, reachOf } from "./address.ts";
import type { Context, Sink } from "./sink.ts";

/** Functions that send a request, and which of their arguments is the address. */
const REQUESTS: Readonly<Record<string, number>> = {
  fetch: 0,
  Request: 0,
  EventSource: 0,
  WebSocket: 0,
  WebTransport: 0,
  Audio: 0,
  fetchLater: 0,
  Worker: 0,
  SharedWorker: 0,
  importScripts: 0,
  "navigator.sendBeacon": 0,
  "navigator.serviceWorker.register": 0,
  "npm:react-dom.preinit": 0,
  "npm:react-dom.preinitModule": 0,
  "npm:react-dom.prefetchDNS": 0,
  "npm:react-dom.preconnect": 0,
  "XMLHttpRequest().open": 1,
};

/** Libraries that send requests: their functions take the address first or in an object. */
const LIBRARIES =
  /^(?:npm:(?:axios|ky|got|superagent|node-fetch|cross-fetch|isomorphic-fetch|isomorphic-unfetch|unfetch|whatwg-fetch|undici|ofetch|wretch|request|needle|redaxios|swr|socket\.io-client|graphql-request|eventsource|reconnecting-websocket|ws|https?|@microsoft\/fetch-event-source|jquery)|axios|superagent|ky|io|(?:\$|jQuery)\.(?:ajax|get|post|getJSON|getScript|load))(?:\.\w+|\(\))*$/;
/** Members of those libraries that send nothing. */
const NO_REQUEST =
  /\.(?:isCancel|isAxiosError|Agent|STATUS_CODES|createServer|mutate|preload|Headers|AbortController|param|each|extend|fn)$/;
/** Methods that fetch an address, whatever they belong to. */
const METHODS = new Set(["sendBeacon", "addModule", "getScript", "addAll"]);
const ADDRESS_OPTIONS = ["url", "baseURL", "prefixUrl", "uri", "baseUrl"];

/** Elements that load their address as soon as it is written, and the attributes that hold it. */
const LOADING = /^(?:script|img|iframe|frame|embed|object|link|audio|video|source|track)$/;
const LOADED = /^(?:src|href|data|poster|srcset)$/i;

/** Requests to other hosts. */
export const externalRequestSink: Sink = (act, context) => {
  switch (act.kind) {
    case "import":
      check(act.address, act.node, context);
      return;
    case "call": {
      const at =
        act.path === null ? undefined : Object.hasOwn(REQUESTS, act.path) ? REQUESTS[act.path] : undefined;
      if (at !== undefined) {
        const addresses = act.path === "importScripts" ? act.args : act.args.slice(at, at + 1);
        for (const address of addresses) check(address, act.node, context);
      } else if (act.path !== null && LIBRARIES.test(act.path) && !NO_REQUEST.test(act.path)) {
        for (const arg of act.args.slice(0, 2)) checkOptions(arg, act.node, context);
      } else checkMethod(act.key, act.args, act.node, context);
      return;
    }
    case "write":
      for (const owner of options(act.owner)) {
        const loads = owner.kind === "element" && !act.attribute && LOADING.test(owner.tag ?? "");
        const sends = owner.kind === "element" && owner.tag === "form" && act.key === "action";
        if (loads && LOADED.test(act.key)) check(act.value, act.node, context);
        else if (sends || /^(?:ping|formaction)$/i.test(act.key)) check(act.value, act.node, context);
        else if (owner.kind === "host" && /axios/.test(owner.path) && act.key === "baseURL")
          check(act.value, act.node, context);
      }
      return;
    case "element":
    case "read":
      return;
  }
};

function checkMethod(key: string, args: readonly Value[], node: t.Node, context: Context): void {
  const [first = UNKNOWN, second] = args;
  const sends = METHODS.has(key) ? first : null;
  if (sends !== null) check(sends, node, context);
  else if (
    key === "open" &&
    second !== undefined &&
    /^(?:get|post|put|delete|patch|head)$/i.test(context.text(first))
  )
    check(second, node, context);
}

/** The argument itself, or the addresses in an object of options. */
function checkOptions(arg: Value, node: t.Node, context: Context): void {
  for (const option of options(arg))
    if (option.kind !== "object") check(option, node, context);
    else
      for (const [key, value] of option.props) {
        if (ADDRESS_OPTIONS.includes(key)) check(value, node, context);
        if (key === "hostname" || key === "host")
          check({ kind: "constant", value: `//${context.text(value)}` }, node, context);
      }
}

function check(address: Value, node: t.Node, context: Context): void {
  if (address.kind === "list") {
    for (const item of address.items) check(item, node, context);
    return;
  }
  const reach = reachOf(address, context);
  if (!leavesSite(reach)) return;
  context.report(
    "external-request",
    reach === "loopback" ? "low" : reach === "hidden" ? "high" : "medium",
    node,
  );
}
