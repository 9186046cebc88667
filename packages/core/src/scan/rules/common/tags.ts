import type { Severity } from "../../finding.ts";
import { DECODED, HIDDEN, PRIVATE } from "../../interpreter/value.ts";
import { reachOfText } from "./address.ts";
import { type Tag, tagsOf } from "./html.ts";

/** A verdict on a string of HTML, wherever it is inserted. */
export type Verdict = readonly [rule: string, severity: Severity];

/** Attributes whose value a browser follows or runs as an address. */
const ADDRESSES = new Set([
  "href",
  "src",
  "action",
  "formaction",
  "xlink:href",
  "data",
  "to",
  "from",
  "values",
]);
/** Elements whose `src` or `href` is fetched when it is set, so that the address can send data out. */
const FETCHED = new Set(["img", "link", "iframe", "audio", "video", "source", "embed", "object", "input"]);

/** Scripts, handlers and redirects in a string of HTML. */
export function judgeTags(
  text: string,
  taint: number,
  hides: (address: string) => boolean,
  depth = 0,
): Verdict[] {
  const verdicts = new Map<string, Verdict>();
  const say = (rule: string, severity: Severity) => verdicts.set(`${rule} ${severity}`, [rule, severity]);
  for (const tag of tagsOf(text)) {
    if (tag.name === "script" && !isData(tag.attributes.get("type"))) {
      say("script-injection", "high");
      if (reachOfText(tag.attributes.get("src") ?? "") === "external") say("external-request", "high");
    }
    if (isRefresh(tag)) say("redirect", "medium");
    if (tag.name === "base" && reachOfText(tag.attributes.get("href") ?? "") === "external")
      say("script-injection", "medium");
    for (const [name, held] of tag.attributes) {
      if (/^on[a-z]+$/.test(name) && held.trim() !== "") say("script-injection", "high");
      if (name === "srcdoc" && depth === 0)
        for (const [rule, severity] of judgeTags(held, taint, hides, 1)) say(rule, severity);
      if (!ADDRESSES.has(name) && name !== "ping") continue;
      const reach = reachOfText(held);
      if (name === "ping" && reach === "external") say("external-request", "medium");
      if (reach === "code" || (reach === "data" && isDocument(held))) say("script-injection", "high");
      else if (
        reach === "external" &&
        FETCHED.has(tag.name) &&
        (taint & (PRIVATE | HIDDEN) || (taint & DECODED && hides(held)))
      )
        say("external-request", "high");
      else if (reach === "external" && FETCHED.has(tag.name)) say("external-request", "low");
    }
  }
  return [...verdicts.values()];
}

/** A `data:` address whose content is a page or a script. */
export function isDocument(address: string): boolean {
  const start = address.trimStart().slice(0, 200).toLowerCase();
  if (!start.startsWith("data:")) return false;
  const type = start.slice(5).split(",", 1)[0] ?? "";
  return type.startsWith("text/html") || type.includes("script") || type.includes("xhtml");
}

/** Whether the type of a script element marks data, which is never run. */
export function isData(type: string | undefined): boolean {
  return (
    type !== undefined &&
    /json|^text\/(?:template|html|x-)|^x-shader|^importmap$|^speculationrules$|^math\//i.test(type) &&
    !/importmap/i.test(type)
  );
}

function isRefresh(tag: Tag): boolean {
  const equivalent = tag.attributes.get("http-equiv")?.toLowerCase();
  return (
    tag.name === "meta" &&
    equivalent === "refresh" &&
    /url\s*=|;\s*\S/i.test(tag.attributes.get("content") ?? "")
  );
}
