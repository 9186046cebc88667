/** A name of several words between double quotes. */
export function quotedName(text: string, end: number, from: number): string {
  const slice = text.slice(Math.max(from, end - 48), end);
  const open = slice.lastIndexOf('"');
  return open < 0 ? "" : slice.slice(open + 1);
}

/** Last characters of the words for secrets in scripts without spaces; a quick first test. */
const LAST_IDEOGRAPHS = "码碼令钥鑰匙牌证證据據号ドンキー鍵号番葉호드큰릿키";

/** Up to four words with single spaces between them, on one line; of a script without spaces, the last characters. */
export function phraseBefore(text: string, end: number, from: number): string {
  const last = text.charCodeAt(end - 1);
  const floor = Math.max(from, end - 40);
  if (last >= 0x3040) {
    if (!LAST_IDEOGRAPHS.includes(text[end - 1] as string)) return "";
    let start = end;
    for (let spaces = 0; start > Math.max(floor, end - 12); start--) {
      const c = text.charCodeAt(start - 1);
      if (c === 32 ? ++spaces > 1 : !isPhrasePart(c)) break;
    }
    return text.slice(start, end).trim();
  }
  let start = end;
  for (let spaces = 0; start > floor; start--) {
    const c = text.charCodeAt(start - 1);
    if (c === 32) {
      spaces++;
      if (spaces > 3 || text.charCodeAt(start - 2) === 32) break;
    } else if (!isPhrasePart(c)) break;
  }
  return text.slice(start, end).trim();
}

/** Letters, digits, `_`, `-` and apostrophes; beyond ASCII anything except punctuation. */
function isPhrasePart(c: number): boolean {
  if (c < 128) return isNamePart(c) ? c !== 46 : c === 39;
  return (
    c >= 0xc0 &&
    c !== 0xd7 &&
    c !== 0xf7 &&
    !(c >= 0x2000 && c < 0x2c00 && c !== 0x2019) &&
    !(c >= 0x3000 && c <= 0x303f) &&
    !(c >= 0xff00 && c <= 0xff20)
  );
}

export function isNamePart(c: number): boolean {
  return (
    (c >= 48 && c <= 57) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 95 || c === 45 || c === 46
  );
}
