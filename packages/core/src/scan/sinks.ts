import type * as t from "@babel/types";
import type { Severity } from "./finding.ts";
import { HIDDEN_GLOBAL, hostMember } from "./hosts.ts";
import { HIDDEN, HOLE, hasHole, OWN_ORIGIN, options, SPENT, UNKNOWN, type Value } from "./value.ts";

/** An act of the program on the page, as the evaluator finds it. */
export type Act =
  /** Calls a function of the browser or a package by its path, or a method of another value (without a path). */
  | { kind: "call"; path: string | null; key: string; on: Value | null; args: Value[]; node: t.Node }
  /** Writes a member, or an attribute of an element. */
  | { kind: "write"; owner: Value; key: string; value: Value; node: t.Node; attribute: boolean }
  | { kind: "element"; tag: string; type: Value | undefined; node: t.Node }
  | { kind: "import"; address: Value; node: t.Node };

/** The ids of findings about acts: the four kinds of the component scan. */
export type Rule = "eval" | "redirect" | "external-request" | "script-injection";

/** The part of the evaluator that a sink uses, and the function `report`, which adds a finding. */
export interface SinkContext {
  report(rule: Rule, severity: Severity, node: t.Node): void;
  text(value: Value): string;
  member(owner: Value, key: string): Value;
}
/** Returns whether an alternative of a value is a string, also one with holes, or is SPENT. Other unknown values do not count. */
export const isText = (value: Value | undefined) =>
  options(value).some((one) => one === SPENT || (one.kind === "constant" && typeof one.value === "string"));

type Sink = (act: Act, context: SinkContext) => void;

/** The targets that an address can have, the most serious first. */
const REACHES = ["code", "hidden", "external", "loopback", "unknown", "same-site", "same-document"] as const;
type Reach = (typeof REACHES)[number];

/** Script links that do nothing, such as `javascript:void(0)`. Spaces and semicolons are removed before the comparison. */
const IDLE_SCRIPT = /^javascript:(?:void\(?["']?\d*["']?\)?|undefined|null|false|true)?$/i;
const LOOPBACK = /^(?:[^/?#]*@)?(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\])(?:[:/?#]|$)/i;
const DOCUMENT = /^(?:text\/html|text\/xml|image\/svg|application\/xhtml|[^,;]*(?:java|ecma)script)/i;
/** The part of an address before its host: a known scheme, an unknown part with two slashes, or two slashes alone. */
const HOST = /^(?:(?:https?|wss?|ftp):\/*|[\ue000-\ue002]+:?\/\/+|\/\/+)/i;
/** Characters that browsers drop from an address: leading control characters and spaces, and tabs and line breaks anywhere. */
const DROPPED = /^[^!-\uffff]+|[\t\n\r]/g;

/** Returns the reach of a value as an address: of several alternatives, the most serious reach. */
function reachOf(value: Value | undefined, context: SinkContext): Reach {
  const reaches = options(value).map((option) => REACHES.indexOf(reachOfText(context.text(option))));
  return REACHES[Math.min(REACHES.length - 1, ...reaches)] ?? "unknown";
}

/** Returns the reach of a string, read as browsers do: any case, no line breaks, backslashes as slashes. */
function reachOfText(raw: string): Reach {
  const address = raw.slice(0, 4096).replace(DROPPED, "").replaceAll("\\", "/");
  if (address === "" || address.startsWith("#")) return "same-document";
  const named = HOST.exec(address)?.[0];
  if (named !== undefined) {
    const host = address.slice(named.length);
    if (host.startsWith(OWN_ORIGIN)) return host.startsWith(`${OWN_ORIGIN}@`) ? "external" : "same-site";
    if (host === "" || host.startsWith(HOLE)) return "unknown";
    return LOOPBACK.test(host) ? "loopback" : "external";
  }
  if (/^(?:java|vb)script:/i.test(address))
    return IDLE_SCRIPT.test(address.replace(/[\s;]+/g, "")) ? "same-document" : "code";
  if (/^data:/i.test(address)) return DOCUMENT.test(address.slice(5)) ? "code" : "same-site";
  if (address.startsWith(HIDDEN)) return "hidden";
  if (address.startsWith(`${OWN_ORIGIN}@`)) return "external";
  return /^(?:\ue000|[a-z][a-z\d+.-]*:)/i.test(address) ? "unknown" : "same-site";
}

/** Types of a script element that contain data and never run. */
const DATA = /json|^text\/(?:template|html|x-)|^x-shader|^speculationrules$/i;

/**
 * Markup that runs code or leads to another page: a meta refresh, a base element with a host, an event handler, or an attribute with an
 * address that is code (`javascript:…`, `data:text/html…`).
 */
const CODE = [
  /<(?:meta\b[^<>]*http-equiv=["']?refresh|base\b[^<>]*href=["']?(?:https?:)?\/\/)/i,
  /<[a-z][^<>]*[\s/"']on[a-z]+\s*=\s*["']?[^\s"'>]/i,
  /[\s/"'](?:href|src|action|formaction|xlink:href|data|to|from|values)\s*=["'\s]*(?:javascript:|data:text\/html)/i,
];
const SCRIPT = /<script\b([^<>]*)/gi;
/** The most cached results of runsCode. The cache helps if a program writes one long text in many places. */
const JUDGED = 64;
const judged = new Map<string, boolean>();

/** Returns whether markup has a script element whose type is not DATA, or matches CODE. Markup is read as leniently as in browsers. */
function runsCode(markup: string): boolean {
  const known = judged.get(markup);
  if (known !== undefined) return known;
  if (judged.size >= JUDGED) judged.clear();
  const found = judge(markup);
  judged.set(markup, found);
  return found;
}

function judge(markup: string): boolean {
  const isScript = ([, attributes = ""]: RegExpMatchArray) =>
    !DATA.test(/\stype\s*=\s*["']?([^\s"'>]*)/i.exec(attributes)?.[1] ?? "");
  return [...markup.matchAll(SCRIPT)].some(isScript) || CODE.some((code) => code.test(markup));
}

/** Functions that run their string as code or as a command, and timers, which run their first argument as code if it is a string. */
const COMPILERS = /^(?:eval|Function|execScript|npm:(?:vm|child_process)(?:\.\w+)?)$/;
const TIMERS = /^(?:setTimeout|setInterval|setImmediate)$/;

/** Reports strings that run as code, calls of hidden functions, and `eval` as an argument, because the called function may call `eval`. */
export const evalSink: Sink = (act, context) => {
  if (act.kind === "import" && reachOf(act.address, context) === "code")
    context.report("eval", "high", act.node);
  if (act.kind !== "call") return;
  const isPassed = act.args.some((arg) => arg.kind === "host" && arg.path === "eval");
  const isHidden = act.path === HIDDEN_GLOBAL || COMPILERS.test(act.path ?? "");
  const isTimer = TIMERS.test(act.path ?? "") && isText(act.args[0]);
  if (isPassed || isHidden || isTimer) context.report("eval", "high", act.node);
};

/** Parts of the page's address. A write to one of them loads another page; a write to `hash` does not. */
const PARTS = /^location(?:\.(?:href|protocol|host|hostname|port|pathname|search))?$/;
const CALLS = /^(?:location\.(?:assign|replace)|navigation\.navigate)$/;

/** Reports redirects: acts that leave the page. */
export const redirectSink: Sink = (act, context) => {
  if (act.kind === "call") {
    const [first = UNKNOWN, second = UNKNOWN] = act.args;
    const isOwn =
      act.path === "open" &&
      options(second).some((name) => /^_(?:self|top|parent)$/i.test(context.text(name)));
    if (isOwn || CALLS.test(act.path ?? "")) leave(first, act.node, context);
  }
  if (act.kind !== "write") return;
  const { key, value, node } = act;
  for (const owner of options(act.owner)) {
    const part = owner.kind === "host" && !hasHole(key) ? hostMember(owner.path, key) : UNKNOWN;
    if (part.kind === "host" && PARTS.test(part.path)) leave(value, node, context);
    const isRefresh = /^http-?equiv$/i.test(key) && /^refresh$/i.test(context.text(value));
    if (isRefresh) context.report("redirect", "medium", node);
  }
};

/** Reports a redirect, `low` on the same site. A change of the fragment (`#…`), or the page's own address again, is not a redirect. */
function leave(to: Value, node: t.Node, context: SinkContext): void {
  const reach = reachOf(to, context);
  const again = options(to).every((option) => option.kind === "host" && option.path.startsWith("location"));
  if (reach === "same-document" || again) return;
  context.report("redirect", reach === "same-site" ? "low" : reach === "unknown" ? "medium" : "high", node);
}

/** Functions that send a request to the address in their first argument. */
const REQUESTS =
  /^(?:fetch|Request|EventSource|WebSocket|WebTransport|Audio|fetchLater|Worker|SharedWorker|importScripts|navigator\.(?:sendBeacon|serviceWorker\.register)|npm:react-dom\.(?:preinit|preinitModule|prefetchDNS|preconnect))$/;
/** Libraries that send requests. The address is one of the first two arguments, or a member of one of them. */
const LIBRARIES =
  /^(?:npm:(?:axios|ky|got|superagent|node-fetch|cross-fetch|isomorphic-fetch|isomorphic-unfetch|unfetch|whatwg-fetch|undici|ofetch|wretch|request|needle|redaxios|swr|socket\.io-client|graphql-request|eventsource|reconnecting-websocket|ws|https?|@microsoft\/fetch-event-source)|axios|superagent|ky|io|(?:\$|jQuery|npm:jquery)\.(?:ajax|get|post|getJSON|getScript|load))(?:\.\w+|\(\))*$/;
/** Members of the libraries in LIBRARIES that do not send anything. */
const NO_REQUEST = /\.(?:isCancel|isAxiosError|Agent|createServer|mutate|preload|Headers)$/;
const OPTIONS = /^(?:url|baseURL|prefixUrl|uri|baseUrl)$/;
/** Elements that load an address as soon as the program writes it, and their properties with such an address. */
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

/** Checks an argument as an address, or, if it is an object of options, the addresses in the object. */
function checkOptions(arg: Value, node: t.Node, context: SinkContext): void {
  for (const option of options(arg))
    if (option.kind !== "object") check(option, node, context);
    else for (const [key, value] of option.props) if (OPTIONS.test(key)) check(value, node, context);
}

/** Reports a request: `high` to a hidden address, `low` to the user's own machine, `medium` to another host. */
function check(address: Value | undefined, node: t.Node, context: SinkContext): void {
  const reach = reachOf(address, context);
  const severity = reach === "loopback" ? "low" : reach === "hidden" ? "high" : "medium";
  if (/^(?:hidden|external|loopback)$/.test(reach)) context.report("external-request", severity, node);
}

/** Methods that read their arguments as markup, whatever object they belong to. */
const METHODS =
  /^(?:insertAdjacentHTML|setHTMLUnsafe|createContextualFragment|parseHTMLUnsafe|html|append|prepend|insertHTML|execCommand|write|writeln)$/;
const MARKUP = /^(?:innerHTML|outerHTML|srcdoc)$/i;
/** Attributes whose address is opened when the element is clicked, loaded or submitted. */
const ADDRESSES = /^(?:location|href|src|action|formaction|xlink:?href|data|to|from|values)$/i;

/** Reports scripts that are put into the page. */
export const scriptInjectionSink: Sink = (act, context) => {
  const report = () => context.report("script-injection", "high", act.node);
  if (act.kind === "element") {
    const type = act.type === undefined ? "" : context.text(act.type);
    if (act.tag === "script" && !DATA.test(type)) report();
  } else if (act.kind === "call") {
    const { path, key, args, node } = act;
    const isWritten = /(?:^|\.)document\.write(?:ln)?$/.test(path ?? "");
    if (METHODS.test(key)) for (const arg of args) checkMarkup(arg, node, context, isWritten);
    if (/^location\.(?:assign|replace)$/.test(path ?? "")) checkAddress(args[0], node, context);
  } else if (act.kind === "write" && !hasHole(act.key)) {
    const { key, value, node, attribute } = act;
    const owners = options(act.owner).map((one) => (one.kind === "element" ? one.tag : null));
    if (MARKUP.test(key)) checkMarkup(value, node, context);
    if (key === "dangerouslySetInnerHTML") checkMarkup(context.member(value, "__html"), node, context);
    // Only a component itself knows what it does with a handler, so `onClick={text}` on a component is not reported.
    const isHandler = attribute ? /^on[a-z]+$/i.test(key) && !owners.includes("") : /^on[a-z]+$/.test(key);
    if (isHandler && isText(value)) report();
    if (ADDRESSES.test(key) && !owners.includes("img")) checkAddress(value, node, context);
  }
};

function checkAddress(value: Value | undefined, node: t.Node, context: SinkContext): void {
  if (reachOf(value, context) === "code") context.report("script-injection", "high", node);
}

/** Reports markup that runs code (`high`). If it is `written` by `document.write`, reports any other markup too (`medium`). */
function checkMarkup(value: Value, node: t.Node, context: SinkContext, written = false): void {
  for (const option of options(value)) {
    const text = /^(?:object|function|element)$/.test(option.kind) ? "" : context.text(option);
    if (option === SPENT || runsCode(text)) context.report("script-injection", "high", node);
    else if (written) context.report("script-injection", "medium", node);
  }
}
