import { charge } from "../../interpreter/budget.ts";
import type { Rule } from "../rule.ts";

/** The opening quote and scheme of a string that is an address, before its `//`, and their maximum length. */
const ADDRESS_START = /["'`]\s*(?:url\(\s*["']?)?(?:(?:https?|wss?):)?$/i;
const SCHEME = 16;
const HOST = /^\/\/(?!www\.|docs\.|w3\.org|localhost|127\.)(?:[a-z\d][\w-]*|\$\{[^{}`]{1,40}\})\.[a-z\d]/i;
/** Hosts that everybody links to or shows pictures from. */
const KNOWN =
  /^\/\/(?:[\w-]+\.)*(?:github(?:usercontent)?\.com|unsplash\.com|schema\.org|twitter\.com|x\.com|youtube\.com|youtu\.be|vimeo\.com|linkedin\.com|facebook\.com|instagram\.com|wikipedia\.org|google\.com|googleapis\.com|gstatic\.com|npmjs\.com|reactjs\.org|react\.dev|mozilla\.org|vercel\.(?:com|sh)|codesandbox\.io|stackblitz\.com|dicebear\.com|picsum\.photos|placeholder\.com|openai\.com|apple\.com|microsoft\.com|gravatar\.com|tailwindcss\.com|example\.(?:com|org|net))(?=[/:?#"'`]|$)/i;
/** Pictures, films, sounds and fonts are content, unless a query sends data with them. */
const PICTURE = /^[^"'`\s?#]*\.(?:png|jpe?g|svg|webp|gif|avif|ico|mp4|webm|mp3|woff2?|ttf)["'`]/i;
/** The code before an address that is shown, linked to, or part of text for people. */
const CONTENT_CONTEXT =
  /(?:^|[^\w-])(?:srcSet|action|poster|xmlns\w*|xlink|placeholder|from|import|content|to|default\w*|homepage|github|docs|referr?er|\w*(?:link|image|img|avatar|logo|icon|cover|thumb\w*|photo|docs?|website|schema|context)(?:_\w+)?)["'`]?\s*[=:(]?\s*[{(]?\s*$|\w=\{?\s*$|(?:window\s*\.\s*open|\b(?:fetch|axios(?:\.\w+)?|EventSource|WebSocket|Request|Worker|import))\(\s*$|openURL\(\s*$|\be\.g\.,?\s*$|[!=]==?\s*$|postMessage\([^;]*$|setAttribute\(\s*["'`]href["'`],\s*$/i;
/** The code before a constant that contains it, or a choice of two, and before a use of the constant as a link. */
const CONSTANT = /\bconst\s+(\w{3,60})\s*(?::\s*\w+\s*)?=\s*(?:[^;=]*={2,3}[^;=]*[?:]\s*)?$/;
const LINK = /\bhref=\{\s*$|\bwindow\.open\(\s*$/;
/** The code before an argument of a function, directly or in an object, or before the default of a parameter. */
const ARGUMENT_CONTEXT =
  /(?<!\b(?:useState|useRef|useMemo|open|t|expect|toBe|toEqual|log|warn|error|Error|Date))(?<=[\w)])\(\s*(?:[^()"'`]{0,40},\s*)?$|[{(,]\s*\w{1,40}\s*=\s*$|(?<=[\w)])\(\s*\{[^(){}]*(?:\{[^(){}]*)?:\s*(?:[\w.]+\s*(?:\?\?|\|\|)\s*)?$/;
/** Sockets, and references of a style or a drawing. */
const ALWAYS = /wss?:$|url\(/i;
const COMMENT = /^\s*(?:\*|\/\/|\/\*)/;
/** Characters of a host, before an address, and of its line that are read. */
const HOST_LENGTH = 60;
const LINE_LENGTH = 200;
/** Names through which a file acts on the page or beyond it, in ways that the scan may not follow. */
const ACTING_NAMES = (
  "window document globalThis self parent top opener navigator location history Reflect postMessage searchParams setAttribute appendChild " +
  "assign submit click dispatchEvent addEventListener innerHTML apply call bind"
).split(" ");

/** `URL` that parses or builds an address, not one that creates an address for a local file of the user. */
const URLS = /(?<![\w$])URL\b(?!\s*\.\s*(?:create|revoke)ObjectURL\s*\()/;
/** The site's own address, for the search engines: Next reads it from the module's `metadata`. */
const SITE = /\bmetadataBase\s*:\s*new\s+URL\(\s*$/;
const SITE_ONLY = /^export const metadata\s*(?::\s*Metadata\s*)?=\s*\{/m;

/**
 * The address of another host that is no link, picture or import, in a file that acts on the page, or passed to a
 * function: the scan does not follow where it goes from there.
 */
export const addressWithoutUse: Rule = {
  id: "external-request",
  severity: "low",
  onEnd({ interpreter, source, collected, reportText }) {
    // Where a request or a redirect is reported already, its address need not be reported again.
    if (collected.reported.has("external-request") || collected.reported.has("redirect")) return;
    const { names } = interpreter.program;
    const acts = ACTING_NAMES.some((name) => names.has(name)) || (names.has("URL") && URLS.test(source));
    for (let at = source.indexOf("//"); at >= 0; at = source.indexOf("//", at + 2)) {
      const begun = ADDRESS_START.exec(source.slice(Math.max(0, at - SCHEME), at));
      if (begun === null) continue;
      const host = source.slice(at, at + HOST_LENGTH);
      if (!HOST.test(host) || KNOWN.test(host) || PICTURE.test(source.slice(at, at + LINE_LENGTH))) continue;
      const start = at - begun[0].length;
      const before = source.slice(Math.max(0, start - HOST_LENGTH), start);
      if (SITE.test(before) && isOnlySiteAddress(source)) continue;
      if (CONTENT_CONTEXT.test(before) || !(acts || ARGUMENT_CONTEXT.test(before) || ALWAYS.test(begun[0])))
        continue;
      const near = source.slice(Math.max(0, start - LINE_LENGTH), start);
      if (COMMENT.test(near.slice(near.lastIndexOf("\n") + 1))) continue;
      if (isLink(source, near)) continue;
      reportText("external-request", "low", start, at + HOST_LENGTH);
      return;
    }
  },
};

/** Whether nothing in the file reads its `metadata` or the address in it. */
function isOnlySiteAddress(source: string): boolean {
  return (
    SITE_ONLY.test(source) &&
    !/\bmetadata(?:Base)?\b[\s\S]*\bmetadata\b|\bmetadataBase\b[\s\S]*\bmetadataBase\b/.test(source)
  );
}

/** Whether the address is a constant of the file that only links use. */
function isLink(source: string, near: string): boolean {
  const name = CONSTANT.exec(near)?.[1];
  if (name === undefined || !charge(source.length)) return false;
  const places = [...source.matchAll(new RegExp(`(?<![\\w$])${name}(?![\\w$])`, "g"))];
  return (
    places.length > 1 &&
    places.every(
      ({ index }, place) => place === 0 || LINK.test(source.slice(Math.max(0, index - SCHEME), index)),
    )
  );
}
