import { DECODED, HOLE, OWN_ORIGIN, PRIVATE, REMOTE, UNTRUSTED } from "../value.ts";

/** Names of the global object (or of another window of the page). */
const GLOBAL_OBJECTS = new Set([
  "window",
  "self",
  "globalThis",
  "global",
  "top",
  "parent",
  "frames",
  "opener",
  "defaultView",
  "contentWindow",
]);

/** Members of any element, event or document that return the page's own objects. */
const PAGE_OBJECT_MEMBERS: Record<string, string> = {
  ownerDocument: "document",
  contentDocument: "document",
  defaultView: "",
  contentWindow: "",
};

/** Objects of the browser and the language: a member of one that is not plain data is a function. */
const OBJECTS = new Set([
  "",
  "document",
  "location",
  "navigator",
  "history",
  "console",
  "Math",
  "JSON",
  "Reflect",
  "Intl",
  "performance",
  "screen",
  "localStorage",
  "sessionStorage",
  "crypto",
  "customElements",
  "navigation",
  "import.meta",
  "process",
  "module",
  "exports",
  "React",
]);

/** Whether a path is a known object of the browser, not just any undeclared name. */
export function isPageObject(path: string): boolean {
  return OBJECTS.has(path);
}

const FUNCTIONS = new Set(
  (
    "eval Function Object Array String Number Boolean Symbol BigInt Date RegExp Promise Map Set WeakMap WeakSet Proxy " +
    "Error TypeError RangeError SyntaxError ArrayBuffer DataView Uint8Array Int8Array Uint16Array Float32Array URL " +
    "URLSearchParams fetch alert confirm prompt setTimeout setInterval setImmediate clearTimeout clearInterval " +
    "requestAnimationFrame queueMicrotask parseInt parseFloat isNaN isFinite atob btoa escape unescape encodeURI " +
    "encodeURIComponent decodeURI decodeURIComponent structuredClone execScript open XMLHttpRequest WebSocket " +
    "EventSource Worker Image Audio Blob File FormData Headers Request Response Event CustomEvent Element Node " +
    "HTMLElement Document DOMParser require getComputedStyle matchMedia print postMessage addEventListener"
  ).split(" "),
);

/** Longer paths are not followed. */
const PATH_LIMIT = 100;

/** Classes of which the page has one instance: members of their prototype are members of that instance. */
const SINGLE: Record<string, string> = {
  Window: "",
  Document: "document",
  HTMLDocument: "document",
  Location: "location",
  Navigator: "navigator",
};

/** Members that are followed through `event.view`: it is a window, but other objects are named `view` too. */
const VIEWED = new Set("location document navigator eval Function fetch setTimeout setInterval".split(" "));

/** Members of the global object that run code, or give access to such members. */
const CODE_NAMES =
  "eval Function execScript setTimeout setInterval fetch open importScripts import Worker SharedWorker WebSocket EventSource XMLHttpRequest location document navigator Reflect".split(
    " ",
  );

/** Whether a name with unknown parts may be one of those. */
export function mayNameCode(name: string): boolean {
  const known = name.split(UNKNOWN_PARTS);
  const [first = "", last = ""] = [known[0], known.at(-1)];
  return CODE_NAMES.some(
    (program) =>
      program.startsWith(first) &&
      program.endsWith(last) &&
      known.every((part) => part === "" || program.includes(part)),
  );
}

const UNKNOWN_PARTS = new RegExp(`[${HOLE}${OWN_ORIGIN}]+`);

/** Members that run code in a window that the file opens. */
const RUNNING = new Set(["eval", "Function", "setTimeout", "setInterval"]);

/** Suffixes of a path: for the descriptors of all members of an object, and for the descriptor of one member. */
export const DESCRIPTORS = "@@all";
const DESCRIPTOR = "@@one";

/** `Object.getOwnPropertyDescriptors(object).key`, and a member of it. */
function describedMember(path: string, key: string): string | null {
  if (path.endsWith(DESCRIPTORS)) {
    const owner = path.slice(0, -DESCRIPTORS.length);
    return `${owner === "" ? "" : `${owner}.`}${key}${DESCRIPTOR}`;
  }
  const described = path.slice(0, -DESCRIPTOR.length);
  if (key === "set") return `${described}=`;
  if (key !== "value") return null;
  const dot = described.lastIndexOf(".");
  return hostMember(dot < 0 ? "" : described.slice(0, dot), described.slice(dot + 1));
}

/** The path of a member of a host object; null when it is not followed further. */
export function hostMember(path: string, key: string): string | null {
  if (key === "prototype" && Object.hasOwn(SINGLE, path)) return SINGLE[path] ?? null;
  if (path.endsWith(DESCRIPTORS) || path.endsWith(DESCRIPTOR)) return describedMember(path, key);
  if (path === "open()" && RUNNING.has(key)) return key;
  if (path === "event.view") return VIEWED.has(key) ? key : null;
  if (path === "" && key === "constructor") return "Object";
  if (path === "") return GLOBAL_OBJECTS.has(key) || /^\d+$/.test(key) ? "" : key;
  if (path === "document" && (key === "location" || key === "defaultView" || key === "parentWindow")) {
    return key === "location" ? "location" : "";
  }
  if (key === "constructor") return constructorOf(path);
  if (key === "__proto__" && isFunction(path)) return "Function.prototype";
  const bridge = pageObjectOf(key);
  if (bridge !== null) return bridge;
  // Bundlers put an ES module's members behind `default`, sometimes twice.
  if (key === "default" && path.startsWith("npm:")) return path;
  return path.length + key.length > PATH_LIMIT ? null : `${path}.${key}`;
}

export function pageObjectOf(key: string): string | null {
  return Object.hasOwn(PAGE_OBJECT_MEMBERS, key) ? (PAGE_OBJECT_MEMBERS[key] ?? null) : null;
}

function constructorOf(path: string): string {
  if (path === "Function.prototype" || isFunction(path)) return "Function";
  if (path.endsWith(".prototype")) return path.slice(0, -".prototype".length);
  return "Object";
}

/** Whether a path is a known function of the browser or the language. */
export function isFunctionPath(path: string): boolean {
  return !path.startsWith("npm:") && isFunction(path);
}

function isFunction(path: string): boolean {
  if (FUNCTIONS.has(path)) return true;
  if (path.endsWith(".prototype") || path.endsWith("()")) return false;
  const dot = path.indexOf(".");
  if (dot < 0) return false;
  const owner = path.slice(0, dot);
  return OBJECTS.has(owner) || FUNCTIONS.has(owner) || path.includes("().");
}

const OWN_ADDRESS =
  /^(?:location(?:\.(?:href|origin|host|hostname|protocol|port|pathname))?|origin|document\.(?:URL|documentURI|baseURI|domain)|import\.meta\.url)$/;

/** Whether a path reads the page's own URL, so that a URL that begins with it has the page's origin. */
export function isOwnAddress(path: string): boolean {
  return OWN_ADDRESS.test(path);
}

/** The taint of a value that is read from a host object. */
export function hostTaint(path: string): number {
  if (path.length < 4) return 0;
  if (/^(?:document\.cookie|localStorage|sessionStorage|cookieStore)/.test(path)) return PRIVATE;
  if (/^(?:location\.(?:hash|search)|document\.referrer)/.test(path)) return UNTRUSTED;
  if (/^DOMParser\(\)\..*\.(?:textContent|innerText)$/.test(path)) return DECODED;
  if (/^XMLHttpRequest\(\)\.response/.test(path)) return REMOTE;
  return 0;
}
