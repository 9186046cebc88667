import { pay } from "../../interpreter/budget.ts";
import type { Rule } from "../rule.ts";

/** An address of another host that begins a text, and how far its scheme may reach back. */
const BEGUN = /["'`]\s*(?:url\(\s*["']?)?(?:(?:https?|wss?):)?$/i;
const SCHEME = 16;
const HOST = /^\/\/(?!www\.|docs\.|w3\.org|localhost|127\.)(?:[a-z\d][\w-]*|\$\{[^{}`]{1,40}\})\.[a-z\d]/i;
/** Hosts that everybody links to or shows pictures of. */
const KNOWN =
  /^\/\/(?:[\w-]+\.)*(?:github(?:usercontent)?\.com|unsplash\.com|schema\.org|twitter\.com|x\.com|youtube\.com|youtu\.be|vimeo\.com|linkedin\.com|facebook\.com|instagram\.com|wikipedia\.org|google\.com|googleapis\.com|gstatic\.com|npmjs\.com|reactjs\.org|react\.dev|mozilla\.org|vercel\.(?:com|sh)|codesandbox\.io|stackblitz\.com|dicebear\.com|picsum\.photos|placeholder\.com|openai\.com|apple\.com|microsoft\.com|gravatar\.com|tailwindcss\.com|example\.(?:com|org|net))(?=[/:?#"'`]|$)/i;
/** Pictures, films, sounds and fonts are shown, unless they are told something. */
const PICTURE = /^[^"'`\s?#]*\.(?:png|jpe?g|svg|webp|gif|avif|ico|mp4|webm|mp3|woff2?|ttf)["'`]/i;
/** What stands before an address that is shown, linked to, or written for people. */
const SHOWN =
  /(?:^|[^\w-])(?:srcSet|action|poster|xmlns\w*|xlink|placeholder|from|import|content|to|default\w*|homepage|github|docs|referr?er|\w*(?:link|image|img|avatar|logo|icon|cover|thumb\w*|photo|docs?|website|schema|context)(?:_\w+)?)["'`]?\s*[=:(]?\s*[{(]?\s*$|\w=\{?\s*$|(?:window\s*\.\s*open|\b(?:fetch|axios(?:\.\w+)?|EventSource|WebSocket|Request|Worker|import))\(\s*$|openURL\(\s*$|\be\.g\.,?\s*$|[!=]==?\s*$|postMessage\([^;]*$|setAttribute\(\s*["'`]href["'`],\s*$/i;
/** A constant that holds it, or one of two of them, and where such a name is a link. */
const CONSTANT = /\bconst\s+(\w{3,60})\s*(?::\s*\w+\s*)?=\s*(?:[^;=]*={2,3}[^;=]*[?:]\s*)?$/;
const LINK = /\bhref=\{\s*$|\bwindow\.open\(\s*$/;
/** It is given to a function, by itself or in an object, or what a function takes if it is given nothing. */
const GIVEN =
  /(?<!\b(?:useState|useRef|useMemo|open|t|expect|toBe|toEqual|log|warn|error|Error|Date))(?<=[\w)])\(\s*(?:[^()"'`]{0,40},\s*)?$|[{(,]\s*\w{1,40}\s*=\s*$|(?<=[\w)])\(\s*\{[^(){}]*(?:\{[^(){}]*)?:\s*(?:[\w.]+\s*(?:\?\?|\|\|)\s*)?$/;
/** Sockets, and what a style or a drawing refers to. */
const ALWAYS = /wss?:$|url\(/i;
const COMMENT = /^\s*(?:\*|\/\/|\/\*)/;
/** How much of a host, of what stands before an address, and of its line is read. */
const READ = 60;
const LINE = 200;
/** Names by which a file acts on the page or past it, in ways that may not be followed. */
const ACTING = (
  "window document globalThis self parent top opener navigator location history Reflect postMessage searchParams setAttribute appendChild " +
  "assign submit click dispatchEvent addEventListener innerHTML apply call bind"
).split(" ");

/** An address that is taken to pieces or put together, not one that is made for a file of the reader's. */
const URLS = /(?<![\w$])URL\b(?!\s*\.\s*(?:create|revoke)ObjectURL\s*\()/;
/** The site's own address, for the search engines: Next reads it from the module's `metadata`. */
const SITE = /\bmetadataBase\s*:\s*new\s+URL\(\s*$/;
const SITE_ONLY = /^export const metadata\s*(?::\s*Metadata\s*)?=\s*\{/m;

/**
 * The address of another host that is no link, picture or import, in a file that acts on the page, or given to a
 * function: wherever it goes from there, nobody follows it.
 */
export const adrift: Rule = {
  id: "external-request",
  severity: "low",
  onEnd({ interpreter, source, seen, reportText }) {
    // Where a request or a redirect is told already, its address need not be told once more.
    if (seen.reported.has("external-request") || seen.reported.has("redirect")) return;
    const { names } = interpreter.program;
    const acts = ACTING.some((name) => names.has(name)) || (names.has("URL") && URLS.test(source));
    for (let at = source.indexOf("//"); at >= 0; at = source.indexOf("//", at + 2)) {
      const begun = BEGUN.exec(source.slice(Math.max(0, at - SCHEME), at));
      if (begun === null) continue;
      const host = source.slice(at, at + READ);
      if (!HOST.test(host) || KNOWN.test(host) || PICTURE.test(source.slice(at, at + LINE))) continue;
      const start = at - begun[0].length;
      const before = source.slice(Math.max(0, start - READ), start);
      if (SITE.test(before) && isSite(source)) continue;
      if (SHOWN.test(before) || !(acts || GIVEN.test(before) || ALWAYS.test(begun[0]))) continue;
      const near = source.slice(Math.max(0, start - LINE), start);
      if (COMMENT.test(near.slice(near.lastIndexOf("\n") + 1))) continue;
      if (isLink(source, near)) continue;
      reportText("external-request", "low", start, at + READ);
      return;
    }
  },
};

/** Whether nothing of the file reads its `metadata`, nor the address in it. */
function isSite(source: string): boolean {
  return (
    SITE_ONLY.test(source) &&
    !/\bmetadata(?:Base)?\b[\s\S]*\bmetadata\b|\bmetadataBase\b[\s\S]*\bmetadataBase\b/.test(source)
  );
}

/** Whether the address is a constant of the file that only links hold. */
function isLink(source: string, near: string): boolean {
  const name = CONSTANT.exec(near)?.[1];
  if (name === undefined || !pay(source.length)) return false;
  const places = [...source.matchAll(new RegExp(`(?<![\\w$])${name}(?![\\w$])`, "g"))];
  return (
    places.length > 1 &&
    places.every(
      ({ index }, place) => place === 0 || LINK.test(source.slice(Math.max(0, index - SCHEME), index)),
    )
  );
}
