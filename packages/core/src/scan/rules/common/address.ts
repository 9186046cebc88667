import { asText } from "../../interpreter/text/text.ts";
import { CHARWISE, HIDDEN, HOLE, OWN_ORIGIN, options, type Value } from "../../interpreter/value.ts";

/** Where an address points to, the most serious first. */
export type Reach =
  | "code"
  | "hidden"
  | "external"
  | "loopback"
  | "blob"
  | "data"
  | "unknown"
  | "same-site"
  | "same-document";

const BY_SEVERITY: readonly Reach[] = [
  "code",
  "hidden",
  "external",
  "loopback",
  "blob",
  "data",
  "unknown",
  "same-site",
  "same-document",
];

/** Scripts in links that do nothing, without spaces and semicolons. */
const IDLE_SCRIPT = /^javascript:(?:void\(?["']?\d*["']?\)?|undefined|null|false|true)?$/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\])(?::|$)/i;

/** An unknown scheme, then two slashes. */
const UNKNOWN_SCHEME = new RegExp(`^[${HOLE}${OWN_ORIGIN}]+:?//+`);

/** Leading control characters and spaces, and line breaks anywhere: browsers drop them. */
const LEADING = /^[^!-\uffff]+|[\t\n\r]/g;

/** Where a value points to when it is used as an address: the most serious of its alternatives. */
export function reachOf(value: Value): Reach {
  let worst: Reach = "same-document";
  for (const option of options(value)) {
    const reach = reachOfOne(option);
    if (BY_SEVERITY.indexOf(reach) < BY_SEVERITY.indexOf(worst)) worst = reach;
  }
  return worst;
}

function reachOfOne(value: Value): Reach {
  if (value.kind === "constant" && typeof value.value !== "string") return "unknown";
  if (value.kind === "object" || value.kind === "function" || value.kind === "record") return "unknown";
  const { value: text, taint } = asText(value);
  const reach = reachOfText(text);
  return reach === "unknown" && taint & (HIDDEN | CHARWISE) ? "hidden" : reach;
}

/** An address of the same site, with no character that needs parsing. */
const PLAIN = /^(?:[\w@.?]|\/(?!\/))[\w@./?&=%+~-]*$/;

/** Where a string points to, parsed as a browser parses it: no line breaks, any case, backslashes as slashes. */
export function reachOfText(raw: string): Reach {
  if (PLAIN.test(raw)) return "same-site";
  const address = raw.replace(LEADING, "").slice(0, 4096).replaceAll("\\", "/");
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
    case "blob":
      return "blob";
    case "data":
      return "data";
  }
  if (scheme !== undefined) return "unknown";
  if (address.startsWith("//")) return reachOfHost(address.replace(/^\/+/, ""));
  const spelled = UNKNOWN_SCHEME.exec(address);
  if (spelled !== null) {
    const rest = address.slice(spelled[0].length);
    if (rest.startsWith(HOLE) || rest === "") return "unknown";
    return reachOfHost(rest);
  }
  if (address.startsWith(OWN_ORIGIN)) return address.startsWith(`${OWN_ORIGIN}@`) ? "external" : "same-site";
  return address.startsWith(HOLE) ? "unknown" : "same-site";
}

function reachOfHost(rest: string): Reach {
  if (rest.startsWith(OWN_ORIGIN)) return rest.startsWith(`${OWN_ORIGIN}@`) ? "external" : "same-site";
  const host = rest.split(/[/?#]/, 1)[0] ?? "";
  return LOOPBACK.test(host.slice(host.indexOf("@") + 1)) ? "loopback" : "external";
}

/** Where the addresses in a style point to: each `url(…)` and each string that may be one, as in `@import "…"`. */
export function addressesOfStyle(style: string): { text: string; reach: Reach; at: number }[] {
  const lower = style.toLowerCase();
  const found: { text: string; reach: Reach; at: number }[] = [];
  for (let at = lower.indexOf("url("); at >= 0; at = lower.indexOf("url(", at + 4))
    found.push(reachOfStyled(style, at + 4));
  for (let at = lower.indexOf("@import"); at >= 0; at = lower.indexOf("@import", at + 7))
    found.push(reachOfStyled(style, at + 7));
  for (let at = lower.indexOf("image-set("); at >= 0; at = lower.indexOf("image-set(", at + 10))
    found.push(reachOfStyled(style, at + 10));
  return found;
}

/** Characters of an address in a style that are read: the host is at its beginning. */
const MAX_LENGTH = 300;

function reachOfStyled(style: string, start: number): { text: string; reach: Reach; at: number } {
  let at = start;
  while (at < style.length && /[\s"']/.test(style[at] ?? "")) at++;
  const text = style.slice(at, at + MAX_LENGTH);
  return { text, reach: text.startsWith("url(") ? "same-document" : reachOfText(text), at };
}
