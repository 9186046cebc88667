import { asText } from "../../interpreter/text/text.ts";
import { options, UNKNOWN, type Value } from "../../interpreter/value.ts";
import { reachOf } from "../common/address.ts";
import { checkRequestAddress } from "../common/request-address.ts";
import type { HostCall, MethodCall, Rule, RuleContext } from "../rule.ts";

/** Functions that send a request, and the index of the address in their arguments. */
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
  "npm:react-dom.prefetchDNS": 0,
  "npm:react-dom.preconnect": 0,
  "XMLHttpRequest().open": 1,
};

/** Libraries that send requests; their functions take the address first or in an object. */
const LIBRARIES =
  /^(?:npm:(?:axios|ky|got|superagent|node-fetch|cross-fetch|isomorphic-fetch|isomorphic-unfetch|unfetch|whatwg-fetch|undici|ofetch|wretch|request|needle|phin|bent|redaxios|swr|socket\.io-client|graphql-request|eventsource|reconnecting-websocket|ws|jsonp|fetch-jsonp|https?|@microsoft\/fetch-event-source|jquery)(?:\/[\w-]+)*(?:\.\w+)?|(?:axios|superagent|ky)(?:\.\w+)?|io)$/;
const JQUERY = /^(?:\$|jQuery)\.(?:ajax|get|post|getJSON|getScript|load)$/;
/** Members of those libraries that send nothing. */
const NO_REQUEST =
  /\.(?:isCancel|isAxiosError|Agent|STATUS_CODES|createServer|mutate|preload|Headers|AbortController|param|each|extend|fn)$/;
const METHOD = /^(?:get|post|put|delete|patch|head|options)$/i;
/** Methods that fetch something, on any object. */
const METHODS = new Set(["open", "fetch", "sendBeacon", "addModule"]);

/** Requests to other hosts by calls: of the browser, of libraries, and imports. */
export const requests: Rule = {
  id: "external-request",
  severity: "high",
  calls: (path) => Object.hasOwn(ADDRESS_AT, path) || LIBRARIES.test(path) || JQUERY.test(path),
  onCall: checkCall,
  methods: (name) => METHODS.has(name),
  onMethod: checkMethod,
  properties: (key) => key === "baseURL",
  onWrite(context, { owner, value, node }) {
    if (owner.kind === "host" && /^(?:npm:)?axios/.test(owner.path))
      checkRequestAddress(context, value, node);
  },
  onFile(context) {
    context.each(context.interpreter.program.sources, ({ node }) => {
      const address: Value = { kind: "constant", value: node.value, taint: 0 };
      if (reachOf(address) !== "unknown") checkRequestAddress(context, address, node);
    });
  },
};

function checkCall(context: RuleContext, { path, args, node }: HostCall): void {
  const at = Object.hasOwn(ADDRESS_AT, path) ? ADDRESS_AT[path] : undefined;
  if (at !== undefined) {
    const addresses = path === "importScripts" ? args : args.slice(at, at + 1);
    for (const address of addresses.flatMap((one) => (one.kind === "list" ? one.items : [one])))
      checkRequestAddress(context, address, node);
  } else if (!NO_REQUEST.test(path) || JQUERY.test(path)) {
    // The second argument of SWR is a function; an imported function contains no address.
    const [first, second] = args;
    const fetched = path.startsWith("npm:swr") && second?.kind === "host" && second.path.startsWith("npm:");
    for (const arg of fetched && first !== undefined ? [first] : args.slice(0, 2))
      for (const address of addressesIn(context, arg)) checkRequestAddress(context, address, node);
  }
}

/** The argument itself, or the addresses in an options object. */
function addressesIn({ interpreter }: RuleContext, arg: Value): Value[] {
  return options(arg).flatMap((option) => {
    if (option.kind !== "object" && option.kind !== "record") return [option];
    const found = ["url", "baseURL", "prefixUrl", "uri", "baseUrl"].map((key) =>
      interpreter.member(option, key),
    );
    // Node's own requests name the host alone.
    const named = ["hostname", "host"].map((key) => interpreter.member(option, key));
    const hosts = named.flatMap((value): Value[] =>
      value.kind === "constant" && typeof value.value === "string"
        ? [{ ...value, value: `//${value.value}` }]
        : [],
    );
    return [...found.filter((value) => value.kind !== "method" && value.kind !== "unknown"), ...hosts];
  });
}

function checkMethod(context: RuleContext, { name, args, node, how }: MethodCall): void {
  if (name === "addModule") checkRequestAddress(context, args()[0] ?? UNKNOWN, node);
  else if (name === "open") {
    // `x.open("GET", "https://…")`, for any x.
    const [method, address] = args();
    if (method === undefined || address === undefined) return;
    if (options(method).some((option) => METHOD.test(asText(option).value)))
      checkRequestAddress(context, address, node);
  } else if (name !== "fetch" || how !== "name") {
    // A method `fetch` with the address first belongs to a library; that of background fetches takes it second.
    for (const arg of name === "fetch" ? args().slice(1, 2) : args().slice(0, 1))
      for (const address of arg.kind === "list" ? arg.items : [arg])
        checkRequestAddress(context, address, node);
  }
}
