import { charge } from "../budget.ts";
import { fromEntries } from "../members/objects.ts";
import { constant, HOLE, OWN_ORIGIN, text, UNKNOWN, UNTRUSTED, unknown, type Value } from "../value.ts";
import { asText, fromText, taintOf } from "./text.ts";

/** Parts of a URL that are strings. */
const PARTS = new Set([
  "origin",
  "protocol",
  "host",
  "hostname",
  "port",
  "pathname",
  "search",
  "hash",
  "username",
  "password",
] as const);
type Part = typeof PARTS extends Set<infer P> ? P : never;
/** Longer URLs are not parsed. */
const ADDRESS = 2048;

/** A part of a URL object, which is represented by its URL string; null for any other member of a string. */
export function partOfAddress(
  address: Extract<Value, { kind: "constant" | "text" }>,
  key: string,
): Value | null {
  if (key !== "searchParams" && !PARTS.has(key as Part)) return null;
  const { value, taint } = asText(address);
  if (value.startsWith(OWN_ORIGIN) || value.startsWith(HOLE)) {
    const outside = key === "search" || key === "hash" || key === "searchParams";
    if (value.startsWith(HOLE) || outside)
      return unknown(taint | (outside && value.startsWith(OWN_ORIGIN) ? UNTRUSTED : 0));
    return text(OWN_ORIGIN, taint);
  }
  // Holes are kept as they are: `URL` would encode them as other characters.
  const cut = value.search(new RegExp(`[${HOLE}${OWN_ORIGIN}]`));
  const known = cut < 0 ? value : value.slice(0, cut);
  if (known.length > ADDRESS || !charge(8 * known.length)) return unknown(taint);
  const url = URL.parse(known);
  if (url === null) return unknown(taint);
  if (key === "searchParams") return cut < 0 ? paramsOf(url.search, taint) : unknown(taint);
  const part = url[key as Part];
  const whole = cut < 0 || (/^[^/]*\/\/[^/?#]*[/?#]/.test(known.slice(0, 300)) && HOSTS.has(key));
  return whole ? constant(part, taint) : text(part + HOLE, taint);
}

const HOSTS = new Set(["origin", "protocol", "host", "hostname", "port"]);

/** The parameters of a query, by name. */
export function paramsOf(query: string, taint: number): Value {
  const entries = new Map<string, Value>();
  if (query.length > ADDRESS || !charge(8 * query.length)) return unknown(taint);
  for (const [key, held] of new URLSearchParams(query))
    if (!entries.has(key)) entries.set(key, constant(held, taint));
  return { kind: "record", entries };
}

/** `new URLSearchParams(…)`, `new Headers(…)`: the passed entries, by name. */
export function entriesByName(first: Value, copy: (value: Value) => Value): Value {
  if (first.kind === "constant" && typeof first.value === "string") return paramsOf(first.value, first.taint);
  if (first.kind === "list") return fromEntries(first);
  if (first.kind === "object" || first.kind === "record") {
    const held = copy(first);
    // As a string, it is a query.
    if (held.kind === "record")
      held.text = text(
        HOLE,
        [...held.entries.values()].reduce((sum, one) => sum | taintOf(one), 0),
      );
    return held;
  }
  return unknown(taintOf(first));
}

/** An error with its message and cause. */
export function errorOf(message: Value | undefined, cause: Value): Value {
  const entries = new Map<string, Value>([["cause", cause]]);
  if (message !== undefined) entries.set("message", message);
  return { kind: "record", entries };
}

/** The description of a symbol, which is represented by `@@` and its description. */
export function partOfSymbol(value: string, key: string): Value | null {
  return value.startsWith("@@") && key === "description" ? constant(value.slice(2)) : null;
}

/** Members of an element or text node that contain its text. */
const TEXTS = new Set([
  "textContent",
  "innerText",
  "outerText",
  "nodeValue",
  "wholeText",
  "innerHTML",
  "text",
]);

/** The one name under which a property of an element is stored: `innerHTML` as `textContent`, `data-end-point` as `endPoint`. */
export function storedName(tag: string, key: string): string {
  if (TEXTS.has(key) || (key === "data" && tag === "#text")) return "textContent";
  const name = key.startsWith("data-") ? key.slice(5) : key;
  return name === key ? key : name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A value as it is read back from an element that the file itself filled. */
export function storedText(value: Value | undefined): Value {
  if (value === undefined) return UNKNOWN;
  if (value.kind !== "list") return value;
  const read = asText(value);
  return fromText(read.value, read.taint);
}
