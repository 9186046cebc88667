/** Returns the length of a text in code points (😀 is one), or `limit + 1` for a text that is longer than `limit`. */
export function characters(text: string, limit: number): number {
  // A code point has at most two code units, so a text of more than 2 × limit code units exceeds the limit and is not counted.
  return text.length > 2 * limit ? limit + 1 : [...text].length;
}

/** Returns the first `limit` characters of a text. */
export function cutTo(text: string, limit: number): string {
  return [...text.slice(0, 2 * limit)].slice(0, limit).join("");
}

/**
 * Invisible characters, which no text for other readers may contain. By Unicode properties, these are: control characters
 * except tab and line breaks; format characters except the visible ones (signs before Arabic, Syriac and Kaithi numbers);
 * default ignorable characters; variation selectors except the two of emoji; private use, whose look depends on the font;
 * noncharacters; planes without characters; and blank letters. Unassigned code points are allowed, since a later version
 * of Unicode may put a visible letter there. Only unassigned jamo are refused, because jamo combine with their neighbours.
 * The list names code points, because the database has the same list and its patterns have no Unicode properties.
 * A test compares both lists with each other and with Unicode, for every code point.
 */
const INVISIBLE =
  "\\u0001-\\u0008\\u000b-\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f-\\u1160" +
  "\\u17b4-\\u17b5\\u180b-\\u180f\\u200b\\u200e-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164" +
  "\\ud7c7-\\ud7ca\\ud7fc-\\ud7ff\\ue000-\\uf8ff\\ufdd0-\\ufdef\\ufe00-\\ufe0d\\ufeff\\uffa0" +
  "\\ufff0-\\ufffc\\ufffe-\\uffff\\u{1107f}\\u{13430}-\\u{13455}\\u{16fe4}\\u{1bca0}-\\u{1bca3}" +
  "\\u{1d159}\\u{1d173}-\\u{1d17a}\\u{1fffe}-\\u{1ffff}\\u{2fffe}-\\u{2ffff}\\u{3fffe}-\\u{10ffff}";
/** Scripts with words that need a joiner (ZWJ or ZWNJ) to be spelled correctly, such as Arabic and Devanagari. */
const SCRIPT =
  "\\u0600-\\u0dff\\u0f00-\\u109f\\u1780-\\u18af\\u1b00-\\u1b7f\\ua8e0-\\ua8ff\\ua980-\\ua9df" +
  "\\ufb50-\\ufdcf\\ufdf0-\\ufdff\\ufe70-\\ufefe\\u{11000}-\\u{11fff}\\u{1e900}-\\u{1e95f}";
const EMOJI = "\\u2190-\\u23ff\\u2600-\\u27bf\\u2900-\\u297f\\u2b00-\\u2bff\\u{1f000}-\\u{1faff}";
/** Signs that are also emoji; a variation selector after the sign decides whether the sign or the emoji is shown. */
const SIGN =
  "\\u00a9\\u00ae\\u203c\\u2049\\u2122\\u2139\\u2190-\\u27bf\\u2900-\\u297f\\u2b00-\\u2bff\\u3030" +
  "\\u303d\\u3297\\u3299\\u{1f000}-\\u{1faff}";

/**
 * Matches the invisible characters that are refused. It allows ZWJ and ZWNJ in words of the scripts above,
 * ZWJ between two emoji, and variation selectors after a sign or in a keycap.
 */
const REFUSED = new RegExp(
  [
    `[${INVISIBLE}]`,
    `(?<![${SCRIPT}])\\u200c`,
    `(?<![${SCRIPT}${EMOJI}\\ufe0f])\\u200d`,
    `(?<=[${EMOJI}\\ufe0f])\\u200d(?![${EMOJI}])`,
    `(?<![#*0-9${SIGN}])[\\ufe0e\\ufe0f]`,
    "(?<=[#*0-9])[\\ufe0e\\ufe0f](?!\\u20e3)",
  ].join("|"),
  "u",
);

/** Returns whether a text of several lines has invisible characters, which can make it look like another text. */
export function hasInvisibleCharacters(text: string): boolean {
  return REFUSED.test(text);
}

const ALL_REFUSED = new RegExp(REFUSED.source, "gu");

/** Removes refused characters until none is left: after a removal, a joiner that stood beside the removed character may be refused. */
export function removeInvisible(text: string): string {
  let clean = text;
  while (hasInvisibleCharacters(clean)) clean = clean.replace(ALL_REFUSED, "");
  return clean;
}

/** Returns whether a text of one line, such as a title or a name, has a line break, a tab or invisible characters. */
export function hasBreaksOrInvisible(text: string): boolean {
  return /[\t\n\r]/.test(text) || hasInvisibleCharacters(text);
}
