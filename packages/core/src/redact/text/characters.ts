import { ADDRESS, ARROW, DASHES, EQUALS, OR, SCOPE } from "./tokens.ts";

/** Classes of ASCII characters: 1 is part of a word, 2 joins two parts of a word, 3 is white space. */
export const CLASS = new Uint8Array(128);
for (let c = 48; c <= 57; c++) CLASS[c] = 1;
for (let c = 65; c <= 90; c++) CLASS[c] = CLASS[c + 32] = 1;
CLASS[95] = 1;
CLASS[45] = CLASS[46] = 2;
CLASS[32] = CLASS[9] = CLASS[11] = CLASS[12] = 3;

/** Signs beyond ASCII with the meaning of an ASCII sign, and words for "is" in scripts without spaces. */
const SAME = new Map([
  ...Array.from("：是为為は은는", (char): [number, number] => [char.charCodeAt(0), 58]),
  ...Array.from("→–—", (char): [number, number] => [char.charCodeAt(0), ARROW]),
  [0xff1d, 61],
  [0xff0c, 44],
]);

export function isWordCode(c: number): boolean {
  return c < 128 ? CLASS[c] === 1 : isLetter(c);
}

/** Returns whether a character is white space, including the kinds beyond ASCII and invisible characters. */
export function isSpace(c: number): boolean {
  if (c < 128) return CLASS[c] === 3;
  return (
    c === 0xa0 || c === 0xad || (c >= 0x2000 && c <= 0x200f) || c === 0x202f || c === 0x3000 || c === 0xfeff
  );
}

/** Returns whether a character is a letter or mark beyond ASCII: not white space, punctuation, a sign or one of `SAME`. */
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

/** Signs of several ASCII characters with their meaning, the longest first. Assignments in every language become `=`. */
const SIGNS: readonly [written: string, sign: number][] = [
  ...["===", "!==", "==", "!="].map((written): [string, number] => [written, EQUALS]),
  ...["||=", "??=", "?=", ":=", "%3D", "%3d", "<- "].map((written): [string, number] => [written, 61]),
  ...["||", "??"].map((written): [string, number] => [written, OR]),
  ...["=>", "->"].map((written): [string, number] => [written, ARROW]),
  ...["%3A", "%3a"].map((written): [string, number] => [written, 58]),
  ...([
    ["://", ADDRESS],
    ["::", SCOPE],
    ["--", DASHES],
  ] as [string, number][]),
];
const BY_FIRST: (typeof SIGNS | undefined)[] = new Array(128);
for (const sign of SIGNS) {
  const first = sign[0].charCodeAt(0);
  BY_FIRST[first] = [...(BY_FIRST[first] ?? []), sign];
}

/** Returns the sign at `i`, whose first character is `c`, and its length in characters. */
export function signAt(text: string, i: number, c: number): { sign: number; length: number } {
  if (c >= 128) return { sign: SAME.get(c) ?? c, length: 1 };
  for (const [written, sign] of BY_FIRST[c] ?? [])
    if (text.startsWith(written, i)) return { sign, length: written.length };
  return { sign: c, length: 1 };
}
