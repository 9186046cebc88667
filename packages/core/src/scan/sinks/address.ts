import { options } from "../alternatives.ts";
import { HIDDEN, HOLE, OWN_ORIGIN, type Value } from "../value.ts";
import type { SinkContext } from "./sink.ts";

/** The targets that an address can have, the most serious first. */
const REACHES = ["code", "hidden", "external", "loopback", "unknown", "same-site", "same-document"] as const;
export type Reach = (typeof REACHES)[number];

/** Scripts in links that do nothing, compared without spaces and semicolons. */
const IDLE_SCRIPT = /^javascript:(?:void\(?["']?\d*["']?\)?|undefined|null|false|true)?$/i;
const LOOPBACK = /^(?:[^/?#]*@)?(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\])(?:[:/?#]|$)/i;
const DOCUMENT = /^(?:text\/html|text\/xml|image\/svg|application\/xhtml|[^,;]*(?:java|ecma)script)/i;
/** A scheme, known or unknown, and two slashes; or two slashes alone. */
const HOST = /^(?:(?:https?|wss?|ftp):\/*|[\ue000-\ue002]+:?\/\/+|\/\/+)/i;
/** Characters that browsers drop: leading control characters and spaces, and line breaks anywhere. */
const DROPPED = /^[^!-\uffff]+|[\t\n\r]/g;

/** Returns the reach of a value as an address: the most serious one of its alternatives. */
export function reachOf(value: Value | undefined, context: SinkContext): Reach {
  const reaches = options(value).map((option) => REACHES.indexOf(reachOfText(context.text(option))));
  return REACHES[Math.min(REACHES.length - 1, ...reaches)] ?? "unknown";
}

/** Returns the reach of a string, read as browsers do: any case, no line breaks, backslashes as slashes. */
export function reachOfText(raw: string): Reach {
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
