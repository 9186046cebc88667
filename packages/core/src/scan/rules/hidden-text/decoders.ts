import type { Rule, RuleContext } from "../rule.ts";

/** Characters before and after a match that are read. */
const BEFORE = 160;
const AFTER = 120;

/** Invisible characters in a row, and letters that look like blanks. */
const UNSEEN =
  /[\u200b\u200c\u200e\u200f\u2060-\u2064\ufeff\u180e]{3,}|(?:\u200d[\u200b\u200c\u2060\u200d]){2,}|(?:[\ufe00-\ufe0f]){3,}|(?:\udb40[\udc00-\uddef]){9,}|[\u3164\uffa0]|(?:\\u200[bcefBCEF]|\\u206[0-4]|\\u[fF][eE][fF]{2}){3,}/;
/** A source with such characters, escaped or not, matches this. */
const FOREIGN = /[\u180e-\uffff]|\\u[2f]/i;
/** A string without any of them. */
const LATIN = /^[\0-\u180d]*$/;
const BLANKS = /^(?=.*\t)(?=.* )[ \t]{16,}$/s;

/** `String.fromCharCode(65 + i)`, which counts through an alphabet, and flags of countries. */
const COUNTED =
  /^\(\s*(?:(?:0x)?[\da-f]+(?:\s*,\s*(?:0x)?[\da-f]+)?|(?:6[45]|9[67]|48)\s*\+\s*[\w.%() ]+|[\w.%() ]+\+\s*(?:6[45]|9[67]|48)|["'`]\w["'`]\.c(?:harCodeAt|odePointAt)\(0?\)\s*\+\s*[\w.%() ]+)\s*\)/i;
const FLAG = /127397|127462|0x1f1e6|0x1f1a5|1F1E6/i;
/** The surrogate pair of a character past U+FFFF, computed from its code point. */
const HALVES = /^\(\s*\w+\s*,\s*\w+\s*\)/;
const HALVED = /0xd800[\s\S]{0,60}0xdc00|55296[\s\S]{0,60}56320/i;
/** Data that is encoded in base64, such as pictures and files. */
const PACKED_BEFORE = /\bbtoa\(\s*[^;]*$/;
const PACKED_AFTER = /\bbtoa\(/;
/** One character, such as a pressed key, outside of any loop. */
const ONE = /^\(\s*[\w.?!]+\s*\)/;
const LOOP =
  /\b(?:map|reduce|reduceRight|from|forEach|flatMap|replace|replaceAll|for|while|apply|of)\b|\+=|=>/;

/** Code that builds strings from numbers, from letters of other strings and from text that the page shows. */
export const decoders: Rule = {
  id: "hidden-text",
  severity: "medium",
  onFile: checkDecoders,
};

function checkDecoders(context: RuleContext): void {
  const { source, interpreter } = context;
  const { names, literals, decodes } = interpreter.program;
  const say = (at: number, length: number) => context.reportText("hidden-text", "low", at, at + length);
  const each = (pattern: RegExp, is: (before: string, after: string) => boolean = () => true) => {
    for (const { index, 0: found } of source.matchAll(pattern)) {
      const end = index + found.length;
      if (isComment(source, index)) continue;
      if (is(source.slice(Math.max(0, index - BEFORE), index), source.slice(end, end + AFTER)))
        say(index, found.length);
    }
  };
  const unseen = FOREIGN.test(source) ? UNSEEN.exec(source) : null;
  if (unseen !== null && unseen.index > 0 && !isComment(source, unseen.index))
    say(unseen.index, unseen[0].length);
  for (const { node, value } of literals)
    if ((!LATIN.test(value) && UNSEEN.test(value)) || (value.includes("\t") && BLANKS.test(value)))
      context.report("hidden-text", "medium", node);
  if (source.includes("_0x")) each(/\b_0x[\da-f]{2,}\b/g);
  if (names.has("push") && names.has("shift"))
    each(/\.push\(\s*\w+(?:\.shift\(\)|\[["'`]shift["'`]\]\(\))/g, (before, after) =>
      /\bwhile\b|\bparseInt\b|for\s*\(/.test(before + after),
    );
  if (names.has("getComputedStyle"))
    each(
      /getComputedStyle\([^()]{0,80}(?:\([^()]{0,40}\)[^()]{0,40}){0,3},\s*["'`]:+[\w-]+["'`]/g,
      (_, after) => /content/.test(after),
    );
  if (interpreter.charwiseCalls.length === 0 && !decodes) return;
  if (names.has("fromCharCode") || names.has("fromCodePoint"))
    each(/(?:\.\s*|\[\s*["'`])from(?:CharCode|CodePoint)\b["'`\]]*/g, (before, after) => {
      if (COUNTED.test(after) || PACKED_BEFORE.test(before) || PACKED_AFTER.test(after)) return false;
      if (HALVES.test(after) && HALVED.test(before)) return false;
      if (FLAG.test(before) || FLAG.test(after)) return false;
      return !(ONE.test(after) && !LOOP.test(before.slice(before.lastIndexOf("\n") + 1)));
    });
  if (names.has("TextDecoder") && /Uint(?:8|16|32)Array(?:\.of\(|\.from\(\s*["'`[]|\(\s*\[)/.test(source))
    each(/\bTextDecoder\b/g);
  if (names.has("atob")) each(/\batob\(\s*["'`][\w+/=]{16,}["'`]/g);
  if (names.has("unescape"))
    each(
      /\bunescape\(/g,
      (before, after) => !/^\s*encodeURIComponent\(/.test(after) && !/function\s+$|\.$/.test(before),
    );
  if (decodes) each(/\bdecodeURI(?:Component)?\(\s*["'`](?=[^"'`]*%)[^"'`]{16,}/g);
  if (names.has("toString")) each(/(?:\b\d{4,}|\(\d{4,}\))\.{1,2}toString\(\s*\d/g);
}

/** Whether a position is in a comment on a line of its own. */
function isComment(source: string, at: number): boolean {
  const near = source.slice(Math.max(0, at - BEFORE), at);
  const line = near.slice(near.lastIndexOf("\n") + 1).trimStart();
  return /^(?:\/\/|\/?\*)/.test(line);
}
