import type { Site } from "./site.ts";

/** What is kept of the reader: cookies, storage, secret fields and what was copied. */
const KEPT =
  /\bcookie\b|(?:local|session)Storage|cookieStore|indexedDB|clipboard\.read|credentials\.get|type=\{?["'`]password/;
/** Methods that leave the page or send something, taken off the prototype of what has them. */
const BORROWED =
  /\.prototype\s*(?:\??\.\s*|\[\s*["'`])(?:click|submit|requestSubmit|sendBeacon|setAttribute(?:NS)?|insertAdjacentHTML|dispatchEvent|send|open|writeln?)\b/g;
/** An address of another host that stands in a text. */
const ADDRESS =
  /([^\n"'`]{0,40})["'`]\s*(?:(?:https?|wss?):)?\/\/(?!(?:www\.)?w3\.org|localhost|127\.)[a-z\d][\w-]*\.[a-z\d][^"'`\s]*/gi;
/** What stands before an address that is shown, linked to, imported or written for people. */
const SHOWN =
  /(?:^|[^\w-])(?:href|src|srcSet|action|poster|xmlns\w*|xlink|placeholder|from|import|content|url|link|image|avatar|logo|icon|cover|thumb\w*|homepage|github|docs|origin|referr?er)\s*[=:(]?\s*[{(]?\s*$/i;

/** What two places of a file say together, where neither says it alone. */
export function checkTraces(site: Site): void {
  const { source, seen } = site;
  if (seen.loads.length > 0 && KEPT.test(source))
    for (const node of seen.loads) site.report("external-request", "medium", node);
  if (seen.links.length > 0 && seen.clicks.length > 0)
    for (const node of seen.links) site.report("redirect", "medium", node);
  if (source.includes(".prototype"))
    for (const { index, 0: found } of source.matchAll(BORROWED))
      site.reportText("script-injection", "medium", index, index + found.length);
  if (seen.requests.length > 0 && hasAdrift(source))
    for (const node of seen.requests) site.report("external-request", "medium", node);
}

function hasAdrift(source: string): boolean {
  for (const found of source.matchAll(ADDRESS)) if (!SHOWN.test(found[1] ?? "")) return true;
  return false;
}
