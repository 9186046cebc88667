/** All cookies, given to something else than a search for one of them. */
export const COOKIES = /\bdocument\s*\.\s*cookie\s*(?=[,)};+]|$)/m;
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

/** Whether an address of another host stands in the source for no use that shows itself. */
export function hasAdrift(source: string): boolean {
  for (let at = source.indexOf("//"); at >= 0; at = source.indexOf("//", at + 2)) {
    const begun = ADDRESS.exec(source.slice(Math.max(0, at - SCHEME), at));
    if (begun === null || !HOST.test(source.slice(at, at + READ))) continue;
    const start = at - begun[0].length;
    if (!SHOWN.test(source.slice(Math.max(0, start - READ), start))) return true;
  }
  return false;
}
