export const LETTER = 1;
const DIGIT = 2;
export const JOINT = 4;
export const UPPER = 8;
/** Classes of ASCII characters: a run is a stretch of letters, digits, `_` and `-`. */
export const CLASS = new Uint8Array(128);
for (let c = 48; c <= 57; c++) CLASS[c] = DIGIT;
for (let c = 65; c <= 90; c++) CLASS[c] = LETTER | UPPER;
for (let c = 97; c <= 122; c++) CLASS[c] = LETTER;
CLASS[45] = JOINT;
CLASS[95] = JOINT;

/** Separators between a name and its value: `=`, `:`, `|`, `>`, `??`, `,` after a quote, and their wide forms. */
export const SEPARATES = new Uint8Array(128);
for (const char of "=:|>,?") SEPARATES[char.charCodeAt(0)] = 1;

/** Signs within a password: after such a sign the word goes on. */
export const SIGNS = new Uint8Array(128);
for (const char of "!@#$%^*+&") SIGNS[char.charCodeAt(0)] = 1;
/** Those that are as usual between words: they count only behind letters with digits. */
for (const char of "./=:?") SIGNS[char.charCodeAt(0)] = 2;

/** Beyond ASCII: wide colon and equals sign, an arrow, dashes, and the word for "is" in Chinese, Japanese and Korean. */
export const SAYS_IS = new Set([
  0xff1a, 0xff1d, 0x2192, 0x2013, 0x2014, 0x662f, 0x4e3a, 0x70ba, 0x306f, 0xc740, 0xb294,
]);

/** Last letters of calls whose password is not the first argument: login, connect, createClient. */
export const ENDS_CALL = new Uint8Array(128);
for (const char of "ntdehO") ENDS_CALL[char.charCodeAt(0)] = 1;

export function isQuote(c: number): boolean {
  return c === 34 || c === 39 || c === 96;
}

/** Whether a word may begin after this character: a space, a quote, a bracket or an asterisk. */
export function opensWord(before: number): boolean {
  return before <= 32 || isQuote(before) || before === 40 || before === 42 || before >= 128;
}

/** The first and last letters of Bearer, Basic, token, apikey and SSWS. */
export function mayBeScheme(first: number, last: number): boolean {
  const end = last | 32;
  switch (first | 32) {
    case 97:
      return end === 121;
    case 98:
      return end === 114 || end === 99;
    case 115:
      return end === 115;
    case 116:
      return end === 110;
    default:
      return false;
  }
}

/** `%3D` and `%3A`: `=` and `:`, percent-encoded. */
export function isEncodedSeparator(text: string, at: number): boolean {
  // Encoded twice: `%253A`.
  const digit = text.charCodeAt(at + 1) === 50 && text.charCodeAt(at + 2) === 53 ? at + 3 : at + 1;
  if (text.charCodeAt(digit) !== 51) return false;
  const c = text.charCodeAt(digit + 1) | 32;
  return c === 100 || c === 97;
}

/** Skips the rest of an escape at the beginning of a run: the n of `\n`, the 22 of `%22`, the hex of `\u0022`. */
export function afterEscape(text: string, start: number, end: number): number {
  const before = text.charCodeAt(start - 1);
  if (before === 92) {
    const c = text.charCodeAt(start);
    if (c === 117 && /^u[0-9a-fA-F]{4}/.test(text.slice(start, start + 5))) return Math.min(start + 5, end);
    if (c === 120 && /^x[0-9a-fA-F]{2}/.test(text.slice(start, start + 3))) return Math.min(start + 3, end);
    return c === 110 || c === 114 || c === 116 ? start + 1 : start;
  }
  if (before === 37 && /^[0-9a-fA-F]{2}/.test(text.slice(start, start + 2))) return Math.min(start + 2, end);
  return start;
}
