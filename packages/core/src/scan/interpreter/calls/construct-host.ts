import { charge } from "../budget.ts";
import { resolveUrl } from "../builtins/decode.ts";
import { ERRORS, makingError } from "../builtins/objects.ts";
import type { Interpreter } from "../interpreter.ts";
import { assigned, fromEntries } from "../members/objects.ts";
import { entriesByName } from "../text/string-holders.ts";
import { asText, fromText, taintOf } from "../text/text.ts";
import { constant, each, HOLE, host, OWN_ORIGIN, text, UNKNOWN, unknown, type Value } from "../value.ts";
import { callHost, textNode } from "./call-host.ts";

const CONSTRUCTED = new Set(
  "String Object Array Function Number Proxy Promise Map Set Uint8Array Uint16Array Int8Array URL URLSearchParams Headers Request Image Audio Text Comment".split(
    " ",
  ),
);
const INSTANCES = new Set([
  "XMLHttpRequest",
  "WebSocket",
  "EventSource",
  "Worker",
  "SharedWorker",
  "DOMParser",
  "TextDecoder",
  "Range",
  "Blob",
  "CSSStyleSheet",
]);

/** The result of `new` with a class of the browser. */
export function constructHost(interpreter: Interpreter, path: string, lazy: () => Value[]): Value {
  if (ERRORS.includes(path)) return makingError(interpreter, lazy(), UNKNOWN);
  if (!CONSTRUCTED.has(path)) return INSTANCES.has(path) ? host(`${path}()`) : UNKNOWN;
  const args = lazy();
  const first = args[0] ?? constant(undefined);
  switch (path) {
    case "String":
    case "Object":
    case "Array":
    case "Function":
    case "Number":
      return callHost(interpreter, path, () => args);
    case "Proxy":
      return first;
    case "Promise":
      return UNKNOWN;
    case "URLSearchParams":
    case "Headers":
      return entriesByName(first, (value) => assigned(interpreter, [value]));
    case "Text":
    case "Comment":
      return textNode(interpreter, args[0]);
    case "Map":
      return fromEntries(first);
    case "Set":
    case "Uint8Array":
    case "Uint16Array":
    case "Int8Array":
      // A buffer that the file fills byte by byte.
      if (first.kind === "constant" && typeof first.value === "number") return host("Uint8Array()");
      return first.kind === "list" || first.kind === "host" ? first : unknown(taintOf(first));
    case "URL":
    case "Request":
      return each(first, (option) => addressOf(option, path === "URL" ? args[1] : undefined));
    case "Image":
      return { kind: "element", tag: "img" };
    case "Audio":
      return { kind: "element", tag: "audio" };
    default:
      return UNKNOWN;
  }
}

/** Longer URLs are not resolved. */
const ADDRESS = 2048;

/** The URL of `new URL(value, base)`; one of the page's own origin if the base is. */
function addressOf(value: Value, base: Value | undefined): Value {
  const address = asText(value);
  if (base === undefined) return fromText(address.value, address.taint);
  const start = asText(base);
  const taint = address.taint | start.taint;
  if (!address.value.includes(HOLE) && !start.value.includes(HOLE) && !start.value.includes(OWN_ORIGIN)) {
    // A very long URL is not resolved: parsing its host may take quadratic time.
    if (address.value.length + start.value.length > ADDRESS) return fromText(address.value, taint);
    charge(8 * (address.value.length + start.value.length));
    const resolved = resolveUrl(address.value, start.value);
    return resolved === null ? text(HOLE, taint) : constant(resolved, taint);
  }
  // An absolute URL replaces the base, a relative one is appended to it.
  if (/^\s*(?:[a-z][a-z\d+.-]*:|[\\/]{2})/i.test(address.value)) return fromText(address.value, taint);
  return fromText(start.value + address.value, taint);
}
