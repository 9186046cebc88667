/** How far before `;base64,` a data URI may begin. */
const FAR = 160;
const HEAD = /(?:^|[^A-Za-z0-9])data:[\w.+/-]{0,80}(?:;[\w=.-]{1,40}){0,3};$/;
const WHOLE = /^data:[\w.+/-]{1,80}(?:;[\w=.-]{1,40}){0,3};base64,([A-Za-z0-9+/]*)={0,2}$/;

/** Whether a text is only a data URI in base64: an image or the like, and not a token. */
export function isDataUri(text: string): boolean {
  return text.startsWith("data:") && WHOLE.test(text);
}

/**
 * The end of the base64 after the word `base64` at `start` and its comma; null when it is not a data URI, or when the text
 * continues with characters that are not plain base64. After the word alone nothing is skipped.
 */
export function dataUriEnd(text: string, start: number, from: number): number | null {
  if (text.charCodeAt(start - 1) !== 59 || !HEAD.test(text.slice(Math.max(0, start - FAR), start)))
    return null;
  let i = from;
  while (i < text.length && isBase64(text.charCodeAt(i))) i++;
  for (let padding = 0; padding < 2 && text.charCodeAt(i) === 61; padding++) i++;
  const next = text.charCodeAt(i);
  return next === 45 || next === 95 || next === 61 ? null : i;
}

function isBase64(c: number): boolean {
  return (
    (c >= 48 && c <= 57) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 43 || c === 47 || c === 37
  );
}
