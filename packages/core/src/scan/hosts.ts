import { MAX_PATH } from "./limits.ts";
import { HIDDEN, HOLE, hasHole, host, OWN_ORIGIN, UNKNOWN, type Value } from "./value.ts";

/** Members whose value is the global object or another window. The scan treats both alike. */
const WINDOWS =
  /^(?:window|self|globalThis|global|top|parent|frames|opener|defaultView|parentWindow|contentWindow|\d+)$/;
/** Members that lead from any element, event or document to objects of the page. */
const PAGE_OBJECTS = new Map([
  ["ownerDocument", "document"],
  ["contentDocument", "document"],
  ["defaultView", ""],
  ["contentWindow", ""],
]);
/** The path of a global member whose name contains HIDDEN, because the file decodes or computes the name. */
export const HIDDEN_GLOBAL = "?";

/** Returns a member of a host object. The member's name may have holes. */
export function hostMember(path: string, key: string): Value {
  if (hasHole(key)) return path === "" && key.includes(HIDDEN) ? host(HIDDEN_GLOBAL) : UNKNOWN;
  const page = PAGE_OBJECTS.get(key);
  if (page !== undefined) return host(page);
  if (path === "") return host(key === "constructor" ? "Object" : WINDOWS.test(key) ? "" : key);
  if (path === "document" && key === "location") return host(key);
  if (key === "__proto__") return host("Function.prototype");
  // The constructor of `X.prototype` is X. Any other object that has a path is taken for a function, as nearly all of them are functions.
  if (key === "constructor")
    return host(/[^n]\.prototype$/.test(path) ? path.slice(0, -".prototype".length) : "Function");
  // Bundlers put the members of a module under `default`, sometimes twice, so `default` is read as the module itself.
  if (key === "default" && path.startsWith("npm:")) return host(path);
  return path.length + key.length > MAX_PATH ? UNKNOWN : host(`${path}.${key}`);
}

const OWN =
  /^(?:location(?:\.(?:href|origin|host|hostname|protocol|port|pathname))?|origin|document\.(?:URL|baseURI))$/;

/** Returns a host object as a string: OWN_ORIGIN if the string is the page's own address or a part of it, otherwise a hole. */
export function hostText(path: string): string {
  return OWN.test(path) ? OWN_ORIGIN : HOLE;
}

/** Returns a member of an unknown value if the member's name alone shows what it is: `ownerDocument` is a document. */
export function memberOfUnknown(key: string): Value | undefined {
  const page = key === "constructor" ? "Object" : PAGE_OBJECTS.get(key);
  return page === undefined ? undefined : host(page);
}
