/** Read only for the skeleton: spaces of other widths, and invisible characters. */
const SPACES = "\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000";
const INVISIBLE =
  "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0";
const DASHES = "\\u2010-\\u2013\\u2212\\ufe58\\ufe63\\uff0d";
/** Letters and digits of full width, of mathematics (the first halves of their pairs), and invisible tag characters. */
const WIDE = "\\uff10-\\uff19\\uff21-\\uff3a\\uff3f\\uff41-\\uff5a\\ud835\\udb40";
/** Greek and Cyrillic letters that look like Latin ones, with those Latin letters. */
const ALIKE =
  "аaеeоoрpсcуyхxіiјjѕsһhԁdԛqԝwкkАAВBЕEКKМMНHОOРPСCТTХXУYЅSІIЈJΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXοoνvαaιiκkρpυuϲcӏlӀIѵvѴVԌGԚQԜWϜF";
const LATIN = new Map<string, string>();
for (let i = 0; i < ALIKE.length; i += 2) LATIN.set(ALIKE[i] as string, ALIKE[i + 1] as string);
const FOREIGN = "\\u0370-\\u052f";

/** Whether a text holds any of them: one search that excludes most texts. */
const DIFFERS = new RegExp(
  `[${SPACES}${INVISIBLE}${WIDE}]|[A-Za-z0-9][${DASHES}][A-Za-z0-9]|[A-Za-z0-9][${FOREIGN}]|[${FOREIGN}][A-Za-z0-9]`,
);
const [PLAIN, IGNORED, SPACE, DASH] = [0, 1, 2, 3];
/** The Latin letter for each of them: made at the first use, because a search for each character of a long text is slow. */
let kinds: Uint8Array | null = null;
/** Letters of mathematics by the second halves of their pairs, as the plain letters they look like. */
const MATHEMATICAL = new Map<number, string>();
/** A word or a token that may mix Latin letters with Greek or Cyrillic ones, also between digits. */
const MIXED = new RegExp(`[A-Za-z0-9_${FOREIGN}-]{2,256}`, "g");
const [IS_FOREIGN, IS_LATIN] = [new RegExp(`[${FOREIGN}]`), /[A-Za-z]/];

/** A text as it looks (its skeleton), and the position of each of its characters in the original. */
export interface Skeleton {
  text: string;
  /** The original without what was removed from the skeleton: `mark` replaces it. */
  restore(clean: string, mark: string): string;
}

/** The skeleton of a text. Null when it is equal to the text, as for nearly all texts. */
export function skeletonOf(text: string): Skeleton | null {
  if (!DIFFERS.test(text)) return null;
  const source = unmixed(text);
  kinds ??= kindsOfCharacters();
  const places: number[] = [];
  let out = "";
  for (let i = 0; i < source.length; i++) {
    const c = source.charCodeAt(i);
    let shown = source[i] as string;
    const at = i;
    if (c >= 0x80) {
      if (c === 0xdb40) {
        i++;
        continue;
      }
      const kind = kinds[c];
      if (kind === IGNORED) continue;
      if (kind === SPACE) shown = " ";
      else if (kind === DASH) shown = isBetween(source, i) ? "-" : shown;
      else if (c >= 0xff01 && c <= 0xff5e) shown = String.fromCharCode(c - 0xfee0);
      else if (c === 0xd835) {
        shown = plainLetter(source.charCodeAt(i + 1), source.slice(i, i + 2));
        i++;
      }
    }
    out += shown;
    for (let n = 0; n < shown.length; n++) places.push(at);
  }
  if (out === text) return null;
  return { text: out, restore: (clean, mark) => restored(text, out, places, clean.split(mark), mark) };
}

function kindsOfCharacters(): Uint8Array {
  const table = new Uint8Array(65_536).fill(PLAIN);
  for (const [kind, characters] of [
    [IGNORED, INVISIBLE],
    [SPACE, SPACES],
    [DASH, DASHES],
  ] as const) {
    const pattern = new RegExp(`[${characters}]`);
    for (let c = 0x80; c < 65_536; c++) if (pattern.test(String.fromCharCode(c))) table[c] = kind;
  }
  return table;
}

function plainLetter(half: number, pair: string): string {
  let letter = MATHEMATICAL.get(half);
  if (letter === undefined) {
    letter = pair.normalize("NFKC");
    if (letter.length !== 1) letter = pair;
    MATHEMATICAL.set(half, letter);
  }
  return letter;
}

/** A name as it looks. */
export function skeletonName(name: string): string {
  return skeletonOf(name)?.text ?? name;
}

/** Words and tokens of two scripts, written in Latin letters when each other letter looks like a Latin one. */
function unmixed(text: string): string {
  return text.replace(MIXED, (word) => {
    if (!IS_FOREIGN.test(word) || !IS_LATIN.test(word)) return word;
    let latin = "";
    for (const char of word) {
      const alike = char < "\u0080" ? char : LATIN.get(char);
      if (alike === undefined) return word;
      latin += alike;
    }
    return latin;
  });
}

function isBetween(text: string, at: number): boolean {
  return (
    /[A-Za-z0-9\uff10-\uff5a]/.test(text[at - 1] ?? "") && /[A-Za-z0-9\uff10-\uff5a]/.test(text[at + 1] ?? "")
  );
}

/**
 * Finds the rest of the skeleton piece by piece, each at its first place after the piece before, and keeps the same
 * stretches of the original. When a piece could be at two places, the text there is the same.
 */
function restored(
  text: string,
  skeleton: string,
  places: readonly number[],
  pieces: string[],
  mark: string,
): string {
  const last = pieces.length - 1;
  let out = "";
  let from = 0;
  for (const [i, piece] of pieces.entries()) {
    const at = i === 0 ? 0 : i === last ? skeleton.length - piece.length : skeleton.indexOf(piece, from);
    if (at < from || !skeleton.startsWith(piece, at)) return pieces.join(mark);
    const end = at + piece.length;
    if (i > 0) out += mark;
    if (piece !== "") {
      const begin = at === 0 ? 0 : (places[at] as number);
      out += text.slice(begin, end === skeleton.length ? text.length : (places[end] as number));
    }
    from = end;
  }
  return out;
}
