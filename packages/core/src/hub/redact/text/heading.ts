import { isPlainName } from "../evidence/credential-value.ts";
import { isUuid, looksRandom } from "../evidence/entropy.ts";
import { isPlaceholder } from "../evidence/placeholder.ts";
import type { KindOf, Span } from "../types.ts";

/** Only marks of quotation, emphasis or a list before a word on its line. */
export const OPENS_LINE = /^[ \t>*`"'-]{0,10}$/;
const ALONE = /["'`*]{0,4}[ \t]{0,8}(?=\r?\n|$)/y;

/**
 * A random word that is a whole line, under a line that is only the name of a credential (`## API key`).
 * `before` is the text up to the word; `whole`: that text begins at the start of a line.
 */
export function credentialUnderHeading(
  text: string,
  start: number,
  end: number,
  before: string,
  whole: boolean,
  kindOf: KindOf,
): Span | null {
  const above = before
    .slice(0, before.lastIndexOf("\n"))
    .trimEnd()
    .replace(/\n[ \t]{0,8}(?:```|~~~)\w{0,12}$/, "")
    .trimEnd();
  const cut = above.lastIndexOf("\n");
  if (above.length < 3 || (cut < 0 && !whole)) return null;
  const heading = above.slice(cut + 1).replace(/^[\s#>*_`-]{1,12}|[\s*_`:]{1,8}$/g, "");
  if (!/^\p{L}[\p{L}\p{N} _-]{2,40}$/u.test(heading)) return null;
  const kind = kindOf(heading);
  if (kind !== "strong" && kind !== "token") return null;
  let last = end;
  while (last < text.length && last - start < 400 && /[^\s"'`<>]/.test(text[last] as string)) last++;
  const word = text.slice(start, last);
  ALONE.lastIndex = last;
  if (word.length < 12 || /[()[\]{}:;,]/.test(word) || !ALONE.test(text) || !looksRandom(word)) return null;
  if (isUuid(word) || isPlaceholder(word) || isPlainName(word)) return null;
  return { start, end: last, rule: "prose-credential" };
}

/** The next entry of a list in YAML, after one that was a credential. */
const ENTRY =
  /["'`]?[ \t]{0,8}\r?\n[ \t]{0,24}-[ \t]{1,4}["'`]?([^\s"'`<>:,]{6,400})["'`]?[ \t]{0,8}(?=\r?\n|$)/y;

export function nextListItem(text: string, span: Span): Span | null {
  if (!/\n[ \t]{0,24}-[ \t]{1,4}["'`]?$/.test(text.slice(Math.max(0, span.start - 32), span.start)))
    return null;
  ENTRY.lastIndex = span.end;
  const word = ENTRY.exec(text)?.[1];
  if (word === undefined || word.length < 12 || !looksRandom(word)) return null;
  if (isUuid(word) || isPlaceholder(word) || isPlainName(word)) return null;
  const start = text.indexOf(word, span.end);
  return { start, end: start + word.length, rule: span.rule };
}

/** `Organization code is ACME-4711`, `org code ACME-4711`. */
const ORGANIZATION =
  /(?:^|[^\p{L}])(?:org|organi[sz]ations?|organi[sz]ational|organi[sz]ations-?)[ _-]?code["'`)*]{0,3}(\s?[:=]|\s(?:is|was|ist|lautet|est|es|to|of))?(?:\s(?:now|set to))?\s{0,3}["'`“«(*]{0,3}$/iu;

export function organizationBefore(text: string, start: number, end: number, line: string): Span | null {
  const found = ORGANIZATION.exec(line);
  if (found === null) return null;
  const word = text.slice(start, end);
  const stated = found[1] !== undefined;
  if (word.length < 3 || word.length > 60 || isPlaceholder(word)) return null;
  // After the name alone, the value needs a capital or a hyphen: `org code 2fa` means something else.
  if (!/\d/.test(word) || !(stated || /[A-Z]|\w-\w/.test(word))) return null;
  return { start, end, rule: "organization-code" };
}
