/**
 * What nobody sees, for every text that others read: controls but tab and line breaks, fillers and blanks of some scripts,
 * marks of direction, variation selectors but the two of emoji, tags, and what is no character at all.
 * The database has the same list; a test compares the two for every character there is.
 */
const UNSEEN =
  "\\u0001-\\u0008\\u000b-\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f-\\u1160" +
  "\\u17b4-\\u17b5\\u180b-\\u180f\\u200b\\u200e-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164" +
  "\\ufdd0-\\ufdef\\ufe00-\\ufe0d\\ufeff\\uffa0\\ufff0-\\ufffc\\ufffe-\\uffff\\u{13430}-\\u{13440}" +
  "\\u{1bca0}-\\u{1bca3}\\u{1d159}\\u{1d173}-\\u{1d17a}\\u{1fffe}-\\u{1ffff}\\u{2fffe}-\\u{2ffff}" +
  "\\u{3fffe}-\\u{3ffff}\\u{4fffe}-\\u{4ffff}\\u{5fffe}-\\u{5ffff}\\u{6fffe}-\\u{6ffff}" +
  "\\u{7fffe}-\\u{7ffff}\\u{8fffe}-\\u{8ffff}\\u{9fffe}-\\u{9ffff}\\u{afffe}-\\u{affff}" +
  "\\u{bfffe}-\\u{bffff}\\u{cfffe}-\\u{cffff}\\u{dfffe}-\\u{dffff}\\u{e0000}-\\u{e0fff}" +
  "\\u{efffe}-\\u{effff}\\u{ffffe}-\\u{fffff}\\u{10fffe}-\\u{10ffff}";
/** Scripts whose words need joiners. */
const SCRIPT =
  "\\u0600-\\u0dff\\u0f00-\\u109f\\u1780-\\u18af\\u1b00-\\u1b7f\\ua8e0-\\ua8ff\\ua980-\\ua9df" +
  "\\ufb50-\\ufdcf\\ufdf0-\\ufdff\\ufe70-\\ufefe\\u{11000}-\\u{11fff}\\u{1e900}-\\u{1e95f}";
const EMOJI = "\\u2190-\\u23ff\\u2600-\\u27bf\\u2900-\\u297f\\u2b00-\\u2bff\\u{1f000}-\\u{1faff}";
/** Signs that are also emoji: a selector behind them says which. */
const SIGN =
  "\\u00a9\\u00ae\\u203c\\u2049\\u2122\\u2139\\u2190-\\u27bf\\u2900-\\u297f\\u2b00-\\u2bff\\u3030" +
  "\\u303d\\u3297\\u3299\\u{1f000}-\\u{1faff}";

/** Joiners belong into words of some scripts, the wide one between two emoji as well; a selector behind a sign or in a keycap. */
const ODD = new RegExp(
  [
    `[${UNSEEN}]`,
    `(?<![${SCRIPT}])\\u200c`,
    `(?<![${SCRIPT}${EMOJI}\\ufe0f])\\u200d`,
    `(?<=[${EMOJI}\\ufe0f])\\u200d(?![${EMOJI}])`,
    `(?<![#*0-9${SIGN}])[\\ufe0e\\ufe0f]`,
    "(?<=[#*0-9])[\\ufe0e\\ufe0f](?!\\u20e3)",
  ].join("|"),
  "u",
);

/** Whether a text of several lines holds characters that nobody sees and that can make it read as another. */
export function hasOddText(text: string): boolean {
  return ODD.test(text);
}

/** Whether a text of one line, such as a title or a name, holds a line break or tab or anything else that nobody sees. */
export function hasOddCharacters(text: string): boolean {
  return /[\t\n\r]/.test(text) || hasOddText(text);
}
