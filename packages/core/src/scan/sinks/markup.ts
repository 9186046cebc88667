/** Types of a script element that contain data and never run. */
export const DATA = /json|^text\/(?:template|html|x-)|^x-shader|^speculationrules$/i;

/** Markup that runs code. */
const CODE = [
  /<(?:meta\b[^<>]*http-equiv=["']?refresh|base\b[^<>]*href=["']?(?:https?:)?\/\/)/i,
  /<[a-z][^<>]*[\s/"']on[a-z]+\s*=\s*["']?[^\s"'>]/i,
  /[\s/"'](?:href|src|action|formaction|xlink:href|data|to|from|values)\s*=["'\s]*(?:javascript:|data:text\/html)/i,
];
const SCRIPT = /<script\b([^<>]*)/gi;
/** The number of cached verdicts; one long text may be written in many places. */
const JUDGED = 64;
const judged = new Map<string, boolean>();

/** Returns whether markup contains a script, a handler, a script link or a refresh, read as leniently as browsers do. */
export function runsCode(markup: string): boolean {
  const known = judged.get(markup);
  if (known !== undefined) return known;
  if (judged.size >= JUDGED) judged.clear();
  const found = judge(markup);
  judged.set(markup, found);
  return found;
}

function judge(markup: string): boolean {
  const isScript = ([, attributes = ""]: RegExpMatchArray) =>
    !DATA.test(/\stype\s*=\s*["']?([^\s"'>]*)/i.exec(attributes)?.[1] ?? "");
  return [...markup.matchAll(SCRIPT)].some(isScript) || CODE.some((code) => code.test(markup));
}
