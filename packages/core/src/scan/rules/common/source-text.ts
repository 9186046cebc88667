/** All cookies, used for something other than a search for one of them. */
export const ALL_COOKIES = /\bdocument\s*\.\s*cookie\s*(?=[,)};+]|$)/m;
/** The opening quote and scheme of a string that is an address, before its `//`, and their maximum length. */
const ADDRESS = /["'`]\s*(?:(?:https?|wss?):)?$/i;
const SCHEME = 12;
/** The host of such an address. */
const HOST = /^\/\/(?!(?:www\.)?w3\.org|localhost|127\.)[a-z\d][\w-]*\.[a-z\d]/i;
/** Characters of a host, and before an address, that are read. */
const HOST_LENGTH = 40;
/** The code before an address that is shown, linked to, imported or part of text for people. */
const CONTENT_CONTEXT =
  /(?:^|[^\w-])(?:href|src|srcSet|action|poster|xmlns\w*|xlink|placeholder|from|import|content|url|link|image|avatar|logo|icon|cover|thumb\w*|homepage|github|docs|origin|referr?er)\s*[=:(]?\s*[{(]?\s*$/i;

/** Whether the source contains an address of another host without a visible use. */
export function hasAddressWithoutUse(source: string): boolean {
  for (let at = source.indexOf("//"); at >= 0; at = source.indexOf("//", at + 2)) {
    const begun = ADDRESS.exec(source.slice(Math.max(0, at - SCHEME), at));
    if (begun === null || !HOST.test(source.slice(at, at + HOST_LENGTH))) continue;
    const start = at - begun[0].length;
    if (!CONTENT_CONTEXT.test(source.slice(Math.max(0, start - HOST_LENGTH), start))) return true;
  }
  return false;
}
