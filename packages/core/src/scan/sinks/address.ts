import { HIDDEN, HOLE, OWN_ORIGIN, options, type Value } from "../value.ts";
import type { Context } from "./sink.ts";

/** Where an address leads, the most serious first. */
const REACHES = [
  "code",
  "document",
  "hidden",
  "external",
  "loopback",
  "unknown",
  "same-site",
  "same-document",
] as const;
export type Reach = (typeof REACHES)[number];

/** Scripts in links that do nothing, without spaces and semicolons. */
const IDLE_SCRIPT = /^javascript:(?:void\(?["']?\d*["']?\)?|undefined|null|false|true)?$/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\])(?::|$)/i;
const DOCUMENT = /^(?:text\/html|text\/xml|image\/svg|application\/xhtml|[^,;]*(?:java|ecma)script)/i;
/** A scheme that is not known, then two slashes. */
const UNKNOWN_SCHEME = new RegExp(`^[${HOLE}-\ue003]+:?//+`);
/** Leading control characters and spaces, and line breaks anywhere: browsers drop them. */
const DROPPED = /^[^!-\uffff]+|[\t\n\r]/g;

/** Where a value leads as an address: the most serious of its alternatives. */
export function reachOf(value: Value, context: Context): Reach {
  let worst = REACHES.length - 1;
  for (const option of options(value)) {
    const reach = option.kind === "unknown" && !option.spent ? "unknown" : reachOfText(context.text(option));
    worst = Math.min(worst, REACHES.indexOf(reach));
  }
  return REACHES[worst] ?? "unknown";
}

/** Where a string leads, read as a browser reads it: any case, no line breaks, backslashes as slashes. */
export function reachOfText(raw: string): Reach {
  const address = raw.slice(0, 4096).replace(DROPPED, "").replaceAll("\\", "/");
  if (address === "" || address.startsWith("#")) return "same-document";
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(address)?.[1]?.toLowerCase();
  switch (scheme) {
    case "javascript":
    case "vbscript":
      return IDLE_SCRIPT.test(address.replace(/[\s;]+/g, "")) ? "same-document" : "code";
    case "http":
    case "https":
    case "ws":
    case "wss":
    case "ftp":
      return reachOfHost(address.slice(scheme.length + 1).replace(/^\/+/, ""));
    case "data":
      return DOCUMENT.test(address.slice(5)) ? "document" : "same-site";
  }
  if (scheme !== undefined) return "unknown";
  if (address.startsWith("//"))
    return address === "//" ? "unknown" : reachOfHost(address.replace(/^\/+/, ""));
  const spelled = UNKNOWN_SCHEME.exec(address);
  if (spelled !== null)
    return address.length === spelled[0].length ? "unknown" : reachOfHost(address.slice(spelled[0].length));
  if (address.startsWith(HIDDEN)) return "hidden";
  if (address.startsWith(OWN_ORIGIN)) return address.startsWith(`${OWN_ORIGIN}@`) ? "external" : "same-site";
  return /^[\ue000-\ue003]/.test(address) ? "unknown" : "same-site";
}

function reachOfHost(rest: string): Reach {
  if (rest.startsWith(OWN_ORIGIN)) return rest.startsWith(`${OWN_ORIGIN}@`) ? "external" : "same-site";
  if (/^[\ue000\ue003]/.test(rest)) return "unknown";
  const host = rest.split(/[/?#]/, 1)[0] ?? "";
  return LOOPBACK.test(host.slice(host.indexOf("@") + 1)) ? "loopback" : "external";
}

/** Whether an address leads to another host, or hides where it leads. */
export function leavesSite(reach: Reach): boolean {
  return reach === "external" || reach === "hidden" || reach === "loopback";
}
