/** Types of a script element that mark data, which is never run. */
export const DATA = /json|^text\/(?:template|html|x-)|^x-shader|^speculationrules$/i;

/** The letters of a scheme, with what browsers drop between them. */
const scheme = (name: string) => [...name].join("[\\t\\n\\r]*");
const CODE_ADDRESS = `["'\\s]*(?:${scheme("javascript:")}|${scheme("data:text/html")})`;
/** What runs code in markup, after the entities are read. */
const CODE = [
  /<(?:meta\b[^<>]*http-equiv=["']?refresh|base\b[^<>]*href=["']?(?:https?:)?\/\/)/i,
  /<[a-z][^<>]*[\s/"']on[a-z]+\s*=\s*["']?[^\s"'>]/i,
  new RegExp(
    `[\\s/"'](?:href|src|action|formaction|xlink:href|data|to|from|values)\\s*=${CODE_ADDRESS}`,
    "i",
  ),
];
const SCRIPT = /<script\b([^<>]*)/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  colon: ":",
  tab: "\t",
  newline: "\n",
};

/** Verdicts, since one long text may be written at many places. */
const JUDGED = 64;
const judged = new Map<string, boolean>();

/** Whether markup contains a script, a handler, a script link or a refresh, read as leniently as browsers do. */
export function runsCode(markup: string): boolean {
  const known = judged.get(markup);
  if (known !== undefined) return known;
  if (judged.size >= JUDGED) judged.clear();
  const found = judge(markup);
  judged.set(markup, found);
  return found;
}

function judge(markup: string): boolean {
  const text = markup.includes("&") ? decodeEntities(markup) : markup;
  const isScript = ([, attributes = ""]: RegExpMatchArray) =>
    !DATA.test(/\stype\s*=\s*["']?([^\s"'>]*)/i.exec(attributes)?.[1] ?? "");
  return [...text.matchAll(SCRIPT)].some(isScript) || CODE.some((code) => code.test(text));
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|([a-z]+));?/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : "";
  });
}
