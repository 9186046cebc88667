import { MAX_PATH } from "./limits.ts";
import { HOLE, hasHole, host, OWN_ORIGIN, UNKNOWN, UNTRUSTED, type Value } from "./value.ts";

const words = (text: string) => new Set(text.split(" "));

/** Names of the global object, or of another window. */
const WINDOWS = words(
  "window self globalThis global top parent frames opener defaultView parentWindow contentWindow",
);
/** Members of any element, event or document that lead to objects of the page. */
const PAGE_OBJECTS = {
  ownerDocument: "document",
  contentDocument: "document",
  defaultView: "",
  contentWindow: "",
};
/** Classes of which the page has one instance: a member of their prototype is a member of that instance. */
const SINGLE = { Window: "", Document: "document", Location: "location", Navigator: "navigator" };

/** Objects whose members are functions, and functions. */
const OBJECTS = words(
  "document location navigator history console Math JSON Reflect localStorage sessionStorage crypto React Promise",
);
const FUNCTIONS = words(
  "eval Function Object Array String Number Boolean Symbol BigInt Date RegExp Promise Map Set WeakMap Proxy Error TypeError Uint8Array URL URLSearchParams fetch alert confirm prompt setTimeout setInterval clearTimeout requestAnimationFrame queueMicrotask parseInt parseFloat isNaN isFinite atob btoa escape unescape encodeURI encodeURIComponent decodeURI decodeURIComponent structuredClone open XMLHttpRequest WebSocket EventSource Worker Image Audio Blob File FormData Headers Request Response Event Element Node HTMLElement Document DOMParser require print postMessage addEventListener",
);
/** Members of the global object that run code or lead to what does. */
const CODE_NAMES = [
  ...words(
    "eval Function setTimeout setInterval fetch open importScripts Worker WebSocket EventSource XMLHttpRequest",
  ),
  ...words("location document navigator Reflect window self top parent"),
];

/** The path of a global member whose name is not known and may be one of those. */
export const ANY_GLOBAL = "?";

function entry(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** A member of a host object; its name may have holes. */
export function hostMember(path: string, key: string): Value {
  if (hasHole(key)) return path === "" && mayNameCode(key) ? host(ANY_GLOBAL) : UNKNOWN;
  const page = entry(PAGE_OBJECTS, key) ?? (key === "prototype" ? entry(SINGLE, path) : undefined);
  if (page !== undefined) return host(page);
  if (path === "")
    return host(key === "constructor" ? "Object" : WINDOWS.has(key) || /^\d+$/.test(key) ? "" : key);
  if (path === "document" && key === "location") return host(key);
  if (path === "event" && key === "view") return host("");
  if (key === "constructor" || (key === "__proto__" && isFunction(path)))
    return host(
      path === "Function.prototype" || isFunction(path)
        ? key === "constructor"
          ? "Function"
          : "Function.prototype"
        : path.endsWith(".prototype")
          ? path.slice(0, -".prototype".length)
          : "Object",
    );
  // Bundlers put the members of a module behind `default`, sometimes twice.
  if (key === "default" && path.startsWith("npm:")) return host(path);
  return path.length + key.length > MAX_PATH ? UNKNOWN : host(`${path}.${key}`);
}

/** Whether a path is a known function of the browser or the language. */
function isFunction(path: string): boolean {
  const root = path.split(".", 1)[0] ?? "";
  if (FUNCTIONS.has(path)) return true;
  return !/\.prototype$|\(\)$/.test(path) && path !== root && (OBJECTS.has(root) || FUNCTIONS.has(root));
}

/** Whether a name, which may have holes, may be one of those. */
export function mayNameCode(name: string): boolean {
  const known = name.split(/[\ue000-\ue003]+/);
  const [first = "", last = ""] = [known[0], known.at(-1)];
  return CODE_NAMES.some(
    (code) => code.startsWith(first) && code.endsWith(last) && known.every((part) => code.includes(part)),
  );
}

const OWN =
  /^(?:location(?:\.(?:href|origin|host|hostname|protocol|port|pathname))?|origin|document\.(?:URL|baseURI))$/;
const OTHERS = /^(?:location\.(?:hash|search)|document\.referrer)\b/;

/** What the string of a host object is made of. */
export function hostText(path: string): string {
  return OWN.test(path) || path === "import.meta.url" ? OWN_ORIGIN : OTHERS.test(path) ? UNTRUSTED : HOLE;
}

/** What a member of a value that is not known is, whatever the value is; undefined if that depends. */
export function memberOfUnknown(key: string): Value | undefined {
  const page = key === "constructor" ? "Object" : entry(PAGE_OBJECTS, key);
  return page === undefined ? undefined : host(page);
}
