import { looksRandom, looksSecret } from "../../evidence/entropy.ts";
import type { KindOf, NameKind } from "../../types.ts";

/** How far before a setting its block may begin. */
const FAR = 400;
/** `variable "db_password" {` of Terraform, `db_password: {`, `"apiKey" = {`, `secret "x" {`. */
const HEADER =
  /(?:^|\n)[ \t]{0,24}(?:(variable)[ \t]{1,4})?["']?([A-Za-z_][\w.-]{1,60})["']?[ \t]{0,4}[:=]?[ \t]{0,4}$/;
/** The same in YAML: a name alone on a line with less indentation. */
const OUTER = /^([ \t]*)(?:- )?["']?([A-Za-z_][\w.-]{1,60})["']?:[ \t]*\r?$/;

/**
 * The kind of a `default` or `value` by the header of its block. Except in Terraform's variables, only for a value that looks
 * random. `start` is where the setting's name begins, `at` its separator.
 */
export function blockKind(text: string, start: number, at: number, from: number, kindOf: KindOf): NameKind {
  const before = text.slice(Math.max(from, start - FAR), start);
  const line = before.lastIndexOf("\n") + 1;
  if (!/^[ \t]*["']?$|[{,][ \t]*["']?$/.test(before.slice(line))) return "none";
  const open = openingBrace(before);
  if (open >= 0) {
    const header = HEADER.exec(before.slice(Math.max(0, open - 100), open));
    if (header === null) return "none";
    const kind = kindOf(header[2] as string);
    return header[1] !== undefined || kind === "none" || isDrawn(text, at) ? kind : "none";
  }
  if (text.charCodeAt(at) !== 58 || line === 0) return "none";
  const indent = /^[ \t]*/.exec(before.slice(line))?.[0].length ?? 0;
  const lines = before.slice(0, line - 1).split("\n");
  for (let n = lines.length - 1, steps = 0; n >= 0 && steps < 8; n--, steps++) {
    const above = lines[n] as string;
    const depth = above.length - above.trimStart().length;
    if (above.trim() === "" || depth >= indent) continue;
    const name = OUTER.exec(above)?.[2];
    if (name === undefined) return "none";
    const kind = kindOf(name);
    return kind === "none" || isDrawn(text, at) ? kind : "none";
  }
  return "none";
}

/** The brace that is open at the end of a text; -1 when none is. */
function openingBrace(text: string): number {
  let depth = 0;
  for (let i = text.length - 1; i >= 0; i--) {
    const c = text.charCodeAt(i);
    if (c === 125) depth++;
    else if (c === 123 && depth-- === 0) return i;
  }
  return -1;
}

/** Whether the word after the separator looks like a secret and not like a name. */
function isDrawn(text: string, at: number): boolean {
  const word = /^[ \t]{0,4}["'`]?([^\s"'`,;{}]{8,400})/.exec(text.slice(at + 1, at + 410))?.[1];
  return word !== undefined && (looksRandom(word) || looksSecret(word));
}
