import { MAX_PATH } from "./limits.ts";
import { HIDDEN, HOLE, hasHole, host, OWN_ORIGIN, UNKNOWN, type Value } from "./value.ts";

/** Names of the global object, or of another window. */
const WINDOWS =
  /^(?:window|self|globalThis|global|top|parent|frames|opener|defaultView|parentWindow|contentWindow|\d+)$/;
/** Members of any element, event or document that lead to objects of the page. */
const PAGE_OBJECTS = new Map([
  ["ownerDocument", "document"],
  ["contentDocument", "document"],
  ["defaultView", ""],
  ["contentWindow", ""],
]);
/** The path of a global member whose name the file hides. */
export const HIDDEN_GLOBAL = "?";

/** A member of a host object; its name may have holes. */
export function hostMember(path: string, key: string): Value {
  if (hasHole(key)) return path === "" && key.includes(HIDDEN) ? host(HIDDEN_GLOBAL) : UNKNOWN;
  const page = PAGE_OBJECTS.get(key);
  if (page !== undefined) return host(page);
  if (path === "") return host(key === "constructor" ? "Object" : WINDOWS.test(key) ? "" : key);
  if (path === "document" && key === "location") return host(key);
  if (key === "__proto__") return host("Function.prototype");
  // Nearly all objects that have a path are functions.
  if (key === "constructor")
    return host(/[^n]\.prototype$/.test(path) ? path.slice(0, -".prototype".length) : "Function");
  // Bundlers put the members of a module behind `default`, sometimes twice.
  if (key === "default" && path.startsWith("npm:")) return host(path);
  return path.length + key.length > MAX_PATH ? UNKNOWN : host(`${path}.${key}`);
}

const OWN =
  /^(?:location(?:\.(?:href|origin|host|hostname|protocol|port|pathname))?|origin|document\.(?:URL|baseURI))$/;

/** What the string of a host object is made of. */
export function hostText(path: string): string {
  return OWN.test(path) ? OWN_ORIGIN : HOLE;
}

/** What a member of a value that is not known is, whatever the value is; undefined if that depends. */
export function memberOfUnknown(key: string): Value | undefined {
  const page = key === "constructor" ? "Object" : PAGE_OBJECTS.get(key);
  return page === undefined ? undefined : host(page);
}
