import { reachOfText } from "./address.ts";

const TAG_START = /<([a-z][^\s/>]*)/gi;
const ATTRIBUTE = /[\s/"']*([^\s/>="']+)(?:\s*=\s*(?:"([^"]*)"?|'([^']*)'?|([^\s>]*)))?/y;
const ADDRESSES = /^(?:href|src|action|formaction|xlink:href|data|to|from|values)$/;
/** Types of a script element that mark data, which is never run. */
const DATA = /json|^text\/(?:template|html|x-)|^x-shader|^speculationrules$|^math\//i;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  colon: ":",
  tab: "\t",
  newline: "\n",
  lpar: "(",
  rpar: ")",
  sol: "/",
};
const MAX_TAGS = 2000;
const MAX_ATTRIBUTES = 200;

/** Strings that were judged, since one may be written at many places. */
const judged = { text: "", found: false };

/** Whether markup, read as leniently as browsers do, contains a script, a handler, a script link or a refresh. */
export function scriptsIn(text: string): boolean {
  if (text === judged.text) return judged.found;
  judged.found = tagsOf(text).some(isScript);
  judged.text = text;
  return judged.found;
}

function isScript({ name, attributes }: Tag): boolean {
  if (name === "script" && !DATA.test(attributes.get("type") ?? "")) return true;
  if (name === "meta" && /^refresh$/i.test(attributes.get("http-equiv") ?? "")) return true;
  if (name === "base" && reachOfText(attributes.get("href") ?? "") === "external") return true;
  for (const [key, value] of attributes) {
    if (/^on[a-z]+$/.test(key) && value.trim() !== "") return true;
    if (key === "srcdoc" && tagsOf(value).some((inner) => inner.name === "script")) return true;
    const reach = ADDRESSES.test(key) ? reachOfText(value) : "same-site";
    if (reach === "code" || (reach === "document" && name !== "img")) return true;
  }
  return false;
}

interface Tag {
  name: string;
  attributes: Map<string, string>;
}

function tagsOf(text: string): Tag[] {
  const tags: Tag[] = [];
  let next = text.indexOf("<");
  while (next >= 0 && tags.length < MAX_TAGS) {
    TAG_START.lastIndex = next;
    const start = TAG_START.exec(text);
    if (start === null) break;
    const attributes = new Map<string, string>();
    let at = TAG_START.lastIndex;
    while (at < text.length && attributes.size < MAX_ATTRIBUTES) {
      while (at < text.length && /[\s/"']/.test(text[at] ?? "")) at++;
      if (text[at] === ">" || at >= text.length) break;
      ATTRIBUTE.lastIndex = at;
      const match = ATTRIBUTE.exec(text);
      if (match === null || match[0] === "") break;
      const name = (match[1] ?? "").toLowerCase();
      if (!attributes.has(name)) attributes.set(name, decodeEntities(match[2] ?? match[3] ?? match[4] ?? ""));
      at = ATTRIBUTE.lastIndex;
    }
    tags.push({ name: (start[1] ?? "").toLowerCase(), attributes });
    next = text.indexOf("<", at);
  }
  return tags;
}

function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]+));?/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "";
  });
}
