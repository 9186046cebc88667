/** One start tag in a string of HTML, names in lower case. */
export interface Tag {
  name: string;
  attributes: Map<string, string>;
}

const TAG_START = /<([a-z][^\s/>]*)/gi;
const ATTRIBUTE = /[\s/"']*([^\s/>="']+)(?:\s*=\s*(?:"([^"]*)"?|'([^']*)'?|([^\s>]*)))?/y;
const ENTITIES: Record<string, string> = {
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
  nbsp: " ",
};

/** The start tags of a string, parsed as leniently as browsers do. */
export function tagsOf(text: string): Tag[] {
  const tags: Tag[] = [];
  let next = text.indexOf("<");
  while (next >= 0 && tags.length < 2000) {
    TAG_START.lastIndex = next;
    const start = TAG_START.exec(text);
    if (start === null) break;
    const attributes = new Map<string, string>();
    let at = TAG_START.lastIndex;
    while (at < text.length && attributes.size < 200) {
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
