import { isCredentialCell } from "../../evidence/cell.ts";
import { REDACTED } from "../../evidence/credential-value.ts";
import type { KindOf, Report } from "../../types.ts";

/** An element that holds a name, and the next one, which holds its value. */
const NAME =
  /<(key|name|field|id|property|header|param|parameter|string|label|variable|th|td|dt)(?: [^<>]{0,120})?>\s{0,8}(?:<(?:b|strong|code|em|i|span|p)(?: [^<>]{0,80})?>)?([\p{L}_][\p{L}\p{N}_ .-]{1,60}?)\s{0,8}:?(?:<\/\w{1,8}>)?:?\s{0,8}<\/\1>\s{0,60}(?=<(?:string|value|val|data|text|td|dd|content|input)[ >])/giu;
/** An element with a name in an attribute, and the one inside it, which holds its value. */
const NAMED =
  /<[A-Za-z][\w:.-]{0,30}\s{1,4}(?:name|key)=["']([\p{L}_][\p{L}\p{N}_ .-]{1,60})["'][^<>]{0,80}>\s{0,60}(?=<(?:string|value|val)>)/giu;
const VALUE =
  /<(\w{1,10})(?: [^<>]{0,120})?>\s{0,80}((?:<(?:code|b|strong|pre|kbd|tt|samp|em|i|span|p|div)(?: [^<>]{0,80})?>\s{0,8}){0,3})([^<>\s][^<>]{2,4000})(?:<\/(?:code|b|strong|pre|kbd|tt|samp|em|i|span|p|div)>\s{0,8}){0,3}<\/\1>/dy;

/** Removes credentials from pairs of elements: `<key>APIKey</key><string>…</string>`, `<name>…</name><value>…</value>`. */
export function redactElementPairs(text: string, kindOf: KindOf, report: Report): string {
  return replacePairs(replacePairs(text, NAME, kindOf, report), NAMED, kindOf, report);
}

function replacePairs(text: string, pattern: RegExp, kindOf: KindOf, report: Report): string {
  let out = "";
  let kept = 0;
  for (const match of text.matchAll(pattern)) {
    const name = (match[2] ?? match[1]) as string;
    const kind = kindOf(name);
    if (kind === "none") continue;
    VALUE.lastIndex = match.index + match[0].length;
    const found = VALUE.exec(text);
    if (found === null) continue;
    const start = found.indices?.[3]?.[0] as number;
    const value = (found[3] as string).trimEnd();
    if (!isCredentialCell(kind, name.replace(/.*[. ]/, "") || name, value)) continue;
    report("credential-name");
    out += text.slice(kept, start) + REDACTED;
    kept = start + value.length;
  }
  return kept === 0 ? text : out + text.slice(kept);
}
