import type * as t from "@babel/types";
import { options } from "../alternatives.ts";
import { UNKNOWN, type Value } from "../value.ts";
import { reachOf } from "./address.ts";
import type { Sink, SinkContext } from "./sink.ts";

/** Functions that send a request to the address in their first argument. */
const REQUESTS =
  /^(?:fetch|Request|EventSource|WebSocket|WebTransport|Audio|fetchLater|Worker|SharedWorker|importScripts|navigator\.(?:sendBeacon|serviceWorker\.register)|npm:react-dom\.(?:preinit|preinitModule|prefetchDNS|preconnect))$/;
/** Libraries that send requests. Their functions take the address first or in an object. */
const LIBRARIES =
  /^(?:npm:(?:axios|ky|got|superagent|node-fetch|cross-fetch|isomorphic-fetch|isomorphic-unfetch|unfetch|whatwg-fetch|undici|ofetch|wretch|request|needle|redaxios|swr|socket\.io-client|graphql-request|eventsource|reconnecting-websocket|ws|https?|@microsoft\/fetch-event-source)|axios|superagent|ky|io|(?:\$|jQuery|npm:jquery)\.(?:ajax|get|post|getJSON|getScript|load))(?:\.\w+|\(\))*$/;
/** Members of the libraries in LIBRARIES that do not send anything. */
const NO_REQUEST = /\.(?:isCancel|isAxiosError|Agent|createServer|mutate|preload|Headers)$/;
const OPTIONS = /^(?:url|baseURL|prefixUrl|uri|baseUrl)$/;
/** Elements that load an address as soon as it is written, and the properties that hold it. */
const LOADING = /^(?:script|img|iframe|frame|embed|object|link|audio|video|source|track)$/;
const LOADED = /^(?:src|href|data|poster|srcset)$/i;

/** Reports requests to other hosts. */
export const externalRequestSink: Sink = (act, context) => {
  if (act.kind === "import") check(act.address, act.node, context);
  if (act.kind === "call") {
    const { path, key, args, node } = act;
    const isOpen =
      key === "open" && /^(?:get|post|put|delete|patch|head)$/i.test(context.text(args[0] ?? UNKNOWN));
    if (isOpen) check(args[1], node, context);
    else if (path !== null && LIBRARIES.test(path)) {
      for (const arg of NO_REQUEST.test(path) ? [] : args.slice(0, 2)) checkOptions(arg, node, context);
    } else if (REQUESTS.test(path ?? "")) check(args[0], node, context);
  }
  if (act.kind !== "write") return;
  const { key, value, node } = act;
  for (const owner of options(act.owner)) {
    const tag = owner.kind === "element" ? owner.tag : "";
    const loads = !act.attribute && LOADING.test(tag) && LOADED.test(key);
    if (loads) check(value, node, context);
  }
};

/** Checks the argument itself, or the addresses in an object of options. */
function checkOptions(arg: Value, node: t.Node, context: SinkContext): void {
  for (const option of options(arg))
    if (option.kind !== "object") check(option, node, context);
    else for (const [key, value] of option.props) if (OPTIONS.test(key)) check(value, node, context);
}

/** Reports `high` for a hidden address, `low` for the user's own machine. */
function check(address: Value | undefined, node: t.Node, context: SinkContext): void {
  const reach = reachOf(address, context);
  const severity = reach === "loopback" ? "low" : reach === "hidden" ? "high" : "medium";
  if (/^(?:hidden|external|loopback)$/.test(reach)) context.report("external-request", severity, node);
}
