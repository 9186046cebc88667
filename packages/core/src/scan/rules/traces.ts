import type { Site } from "./site.ts";

/** What is kept of the reader: cookies, storage, secret fields and what was copied. */
const KEPT =
  /\bcookie\b|(?:local|session)Storage|cookieStore|indexedDB|clipboard\.read|credentials\.get|type=\{?["'`]password/;
/** All cookies, given to something else than a search for one of them. */
export const COOKIES = /\bdocument\s*\.\s*cookie\s*(?=[,)};+]|$)/m;
/** Methods that leave the page or send something, taken off the prototype of what has them. */
const BORROWED =
  /\.prototype\s*(?:\??\.\s*|\[\s*["'`])(?:click|submit|requestSubmit|sendBeacon|setAttribute(?:NS)?|insertAdjacentHTML|dispatchEvent|send|open|writeln?)\b/g;
/** An address of another host that begins a text, and how far its scheme may reach back. */
const ADDRESS = /["'`]\s*(?:(?:https?|wss?):)?$/i;
const SCHEME = 12;
/** The host of such an address. */
const HOST = /^\/\/(?!(?:www\.)?w3\.org|localhost|127\.)[a-z\d][\w-]*\.[a-z\d]/i;
/** How much of a host, and of what stands before an address, is read. */
const READ = 40;
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
  if (site.interpreter.program.prototypes)
    for (const { index, 0: found } of source.matchAll(BORROWED))
      site.reportText("script-injection", "medium", index, index + found.length);
  if (seen.requests.length > 0 && (COOKIES.test(source) || hasAdrift(source)))
    for (const node of seen.requests) site.report("external-request", "medium", node);
}

export function hasAdrift(source: string): boolean {
  for (let at = source.indexOf("//"); at >= 0; at = source.indexOf("//", at + 2)) {
    const begun = ADDRESS.exec(source.slice(Math.max(0, at - SCHEME), at));
    if (begun === null || !HOST.test(source.slice(at, at + READ))) continue;
    const start = at - begun[0].length;
    if (!SHOWN.test(source.slice(Math.max(0, start - READ), start))) return true;
  }
  return false;
}
