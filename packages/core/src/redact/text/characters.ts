import { ADDRESS, ARROW, DASHES, EQUALS, OR, SCOPE } from "./tokens.ts";

/** Classes of ASCII characters: 1 within words, 2 joins two parts of a word, 3 white space. */
export const CLASS = new Uint8Array(128);
for (let c = 48; c <= 57; c++) CLASS[c] = 1;
for (let c = 65; c <= 90; c++) CLASS[c] = CLASS[c + 32] = 1;
CLASS[95] = 1;
CLASS[45] = CLASS[46] = 2;
CLASS[32] = CLASS[9] = CLASS[11] = CLASS[12] = 3;

/** Signs beyond ASCII that mean the same as an ASCII sign, and words for "is" that are written without spaces. */
const SAME = new Map([
  ...Array.from("：是为為は은는", (char): [number, number] => [char.charCodeAt(0), 58]),
  ...Array.from("→–—", (char): [number, number] => [char.charCodeAt(0), ARROW]),
  [0xff1d, 61],
  [0xff0c, 44],
]);

export function isWordCode(c: number): boolean {
  return c < 128 ? CLASS[c] === 1 : isLetter(c);
}

/** White space, the kinds beyond ASCII and invisible characters among it. */
export function isSpace(c: number): boolean {
  if (c < 128) return CLASS[c] === 3;
  return (
    c === 0xa0 || c === 0xad || (c >= 0x2000 && c <= 0x200f) || c === 0x202f || c === 0x3000 || c === 0xfeff
  );
}

/** Letters and marks beyond ASCII: everything but white space, punctuation, signs and the marks of `SAME`. */
export function isLetter(c: number): boolean {
  return (
    c >= 0xc0 &&
    c !== 0xd7 &&
    c !== 0xf7 &&
    !(c >= 0x2000 && c < 0x2c00) &&
    !(c >= 0x3000 && c <= 0x303f) &&
    !(c >= 0xff00 && c <= 0xff20) &&
    c !== 0xfeff &&
    !SAME.has(c)
  );
}

/** How many characters the sign at `i` has, whose first one is `c`. */
export function signLength(text: string, i: number, c: number): number {
  const d = text.charCodeAt(i + 1);
  switch (c) {
    case 61: // =
      return d === 61 ? (text.charCodeAt(i + 2) === 61 ? 3 : 2) : d === 62 ? 2 : 1;
    case 33: // !
      return d === 61 ? (text.charCodeAt(i + 2) === 61 ? 3 : 2) : 1;
    case 58: // :
      return d === 58 || d === 61 ? 2 : d === 47 && text.charCodeAt(i + 2) === 47 ? 3 : 1;
    case 45: // -
      return d === 62 || d === 45 ? 2 : 1;
    case 124: // |
    case 63: // ?
      return d === c ? (text.charCodeAt(i + 2) === 61 ? 3 : 2) : c === 63 && d === 61 ? 2 : 1;
    case 37: // %3A, %3D
      return d === 51 && /[AD]/i.test(text[i + 2] ?? "") ? 3 : 1;
    case 60: // <-
      return d === 45 && text.charCodeAt(i + 2) === 32 ? 2 : 1;
    default:
      return 1;
  }
}

/** What the sign at `i` means. Assignments of every language are `=`. */
export function signAt(text: string, i: number, c: number, length: number): number {
  if (c >= 128) return SAME.get(c) ?? c;
  if (length === 1) return c;
  const d = text.charCodeAt(i + 1);
  switch (c) {
    case 61:
      return d === 62 ? ARROW : EQUALS;
    case 33:
      return EQUALS;
    case 58:
      return length === 3 ? ADDRESS : d === 58 ? SCOPE : 61;
    case 45:
      return d === 62 ? ARROW : DASHES;
    case 37:
      return (text.charCodeAt(i + 2) | 32) === 100 ? 61 : 58;
    default:
      return length === 3 || d === 61 || d === 45 ? 61 : OR;
  }
}
