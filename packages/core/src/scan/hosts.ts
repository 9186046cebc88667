import { HOLE, hasHole, host, OWN_ORIGIN, UNKNOWN, UNTRUSTED, type Value } from "./value.ts";
import { MAX_PATH } from "./limits.ts";

const words = (text: string) => new Set(text.split(" "));

/** Names of the global object, or of another window. */
const WINDOWS = words(
  "window self globalThis global top parent frames opener defaultView parentWindow contentWindow",
);

/** Members of any element, event or document that lead to objects of the page. */
const PAGE_OBJECTS: Readonly<Record<string, string>> = {
  ownerDocument: "document",
  contentDocument: "document",
  defaultView: "",
  contentWindow: "",
};

/** Classes of which the page has one instance: a member of their prototype is a member of that instance. */
const SINGLE: Readonly<Record<string, string>> = {
  Window: "",
  Document: "document",
  HTMLDocument: "document",
  Location: "location",
  Navigator: "navigator",
  XMLHttpRequest: "XMLHttpRequest()",
};

/** Objects whose members, unless they are plain data, are functions. */
const OBJECTS = words(
  "document location navigator history console Math JSON Reflect Intl performance localStorage sessionStorage crypto navigation React Promise Object Array String Number Symbol Function Date URL customElements",
);
const FUNCTIONS = words(
  "eval Function Object Array String Number Boolean Symbol BigInt Date RegExp Promise Map Set WeakMap WeakSet Proxy Error TypeError RangeError SyntaxError ArrayBuffer DataView Uint8Array Int8Array Uint16Array Float32Array URL URLSearchParams fetch alert confirm prompt setTimeout setInterval setImmediate clearTimeout clearInterval requestAnimationFrame queueMicrotask parseInt parseFloat isNaN isFinite atob btoa escape unescape encodeURI encodeURIComponent decodeURI decodeURIComponent structuredClone execScript open XMLHttpRequest WebSocket EventSource Worker Image Audio Blob File FormData Headers Request Response Event CustomEvent Element Node HTMLElement Document DOMParser require getComputedStyle matchMedia print postMessage addEventListener",
);

/** Members of the global object that run code or lead to what does. */
const CODE_NAMES =
  "eval Function execScript setTimeout setInterval fetch open importScripts Worker WebSocket EventSource XMLHttpRequest location document navigator Reflect window self top parent".split(
    " ",
  );

/** The path of a global member whose name is not known and may be one of those. */
export const ANY_GLOBAL = "?";

/** A member of a host object; `key` may have holes, and is null when nothing of it is known. */
export function hostMember(path: string, key: string | null): Value {
  if (key === null || hasHole(key))
    return path === "" && mayNameCode(key ?? HOLE) ? host(ANY_GLOBAL) : UNKNOWN;
  const bridge = Object.hasOwn(PAGE_OBJECTS, key) ? PAGE_OBJECTS[key] : undefined;
  if (bridge !== undefined) return host(bridge);
  if (path === "") {
    if (key === "constructor") return host("Object");
    return host(WINDOWS.has(key) || /^\d+$/.test(key) ? "" : key);
  }
  if (key === "prototype" && Object.hasOwn(SINGLE, path)) return host(SINGLE[path] ?? "");
  if (path === "document" && (key === "location" || key === "parentWindow"))
    return host(key === "location" ? key : "");
  if (path === "event" && key === "view") return host("");
  if (key === "constructor") return host(constructorOf(path));
  if (key === "__proto__" && isFunctionPath(path)) return host("Function.prototype");
  // Bundlers put the members of a module behind `default`, sometimes twice.
  if (key === "default" && path.startsWith("npm:")) return host(path);
  return path.length + key.length > MAX_PATH ? UNKNOWN : host(`${path}.${key}`);
}

function constructorOf(path: string): string {
  if (path === "Function.prototype" || isFunctionPath(path)) return "Function";
  return path.endsWith(".prototype") ? path.slice(0, -".prototype".length) : "Object";
}

/** Whether a path is a known function of the browser, the language or a package. */
export function isFunctionPath(path: string): boolean {
  if (FUNCTIONS.has(path)) return true;
  if (path.endsWith(".prototype") || path.endsWith("()")) return false;
  const dot = path.indexOf(".");
  return (
    dot > 0 && (OBJECTS.has(path.slice(0, dot)) || FUNCTIONS.has(path.slice(0, dot)) || path.includes("()."))
  );
}

/** Whether a name with unknown parts may be one that runs code. */
function mayNameCode(name: string): boolean {
  const known = name.split(/[\ue000-\ue003]+/);
  const [first = "", last = ""] = [known[0], known.at(-1)];
  return CODE_NAMES.some(
    (code) => code.startsWith(first) && code.endsWith(last) && known.every((part) => code.includes(part)),
  );
}

const OWN =
  /^(?:location(?:\.(?:href|origin|host|hostname|protocol|port|pathname))?|origin|document\.(?:URL|documentURI|baseURI|domain)|import\.meta\.url)$/;
const OTHERS = /^(?:location\.(?:hash|search)|document\.referrer|name)$/;

/** What the string of a host object is made of. */
export function hostText(path: string): string {
  return OWN.test(path) ? OWN_ORIGIN : OTHERS.test(path) ? UNTRUSTED : HOLE;
}

/** Values that an unknown value's member is known to be, whatever the value is. */
export function memberOfUnknown(key: string): Value | null {
  if (key === "constructor") return host("Object");
  const bridge = Object.hasOwn(PAGE_OBJECTS, key) ? PAGE_OBJECTS[key] : undefined;
  return bridge === undefined ? null : host(bridge);
}
