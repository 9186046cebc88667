/** At most this many characters of a text are measured, in one pass. */
const MEASURED = 512;

/**
 * For each letter from a to z, the letters that most often follow it in words. They cover nine of ten pairs of letters in 24,579 words
 * of manuals and code, but only one in three random pairs.
 */
const FOLLOWERS =
  "bcdgiklmnprstuvy aeilorsu acehiklorstu adeilorsu abcdefgilmnopqrstvwxy aefilortu aehilnorsu aeiot abcdefglmnoprstvz aeou aeis adeilostuy abeimopsu acdefginostuv abcdfgiklmnoprstuvw aehiloprstu u acdegiklmnoprstuy acehilopstuy acehiloprstuy abceilmnprst aei aeio pt eops e".split(
    " ",
  );
const PAIRS = new Uint8Array(26 * 26);
for (const [first, followers] of FOLLOWERS.entries()) {
  for (const letter of followers) PAIRS[first * 26 + letter.charCodeAt(0) - 97] = 1;
}

class Measure {
  length = 0;
  lower = 0;
  upper = 0;
  digits = 0;
  other = 0;
  /** How often a small letter, a capital or a digit is followed by a character of another of these three classes. */
  changes = 0;
  hex = true;
  distinct = 0;
  /** The number of characters in stretches of four or more letters that look like a word (enough vowels, one case, usual pairs). */
  wordy = 0;
}

function measure(text: string): Measure {
  const length = Math.min(text.length, MEASURED);
  const m = new Measure();
  m.length = length;
  const seen = new Set<number>();
  let before = 0;
  let stretch = 0;
  let vowels = 0;
  let consonants = 0;
  let hard = 0;
  let pairs = 0;
  const close = () => {
    if (
      stretch >= 4 &&
      vowels * 5 >= stretch &&
      hard < 5 &&
      pairs * 10 >= (stretch - 1) * (stretch < 6 ? 7 : 6)
    )
      m.wordy += stretch;
    stretch = vowels = consonants = hard = pairs = 0;
  };
  for (let i = 0; i < length; i++) {
    const c = text.charCodeAt(i);
    seen.add(c);
    let kind = 0;
    if (c >= 97 && c <= 122) {
      kind = 1;
      m.lower++;
      if (c > 102) m.hex = false;
    } else if (c >= 65 && c <= 90) {
      kind = 2;
      m.upper++;
      if (c > 70) m.hex = false;
    } else if (c >= 48 && c <= 57) {
      kind = 3;
      m.digits++;
    } else {
      m.other++;
      if (c !== 45) m.hex = false;
    }
    if (kind !== 0 && before !== 0 && kind !== before) m.changes++;
    // A capital may begin a word; after that, the stretch keeps one case.
    const goesOn =
      (kind === 1 && (before === 1 || (before === 2 && stretch === 1))) || (kind === 2 && before === 2);
    if (!goesOn) close();
    if (kind === 1 || kind === 2) {
      if (stretch > 0) pairs += PAIRS[((text.charCodeAt(i - 1) | 32) - 97) * 26 + (c | 32) - 97] as number;
      stretch++;
      consonants = isVowel(c) ? 0 : consonants + 1;
      if (consonants === 0) vowels++;
      if (consonants > hard) hard = consonants;
    }
    before = kind;
  }
  close();
  m.distinct = seen.size;
  return m;
}

function isVowel(c: number): boolean {
  const l = c | 32;
  return l === 97 || l === 101 || l === 105 || l === 111 || l === 117 || l === 121;
}

/**
 * Returns whether a text of letters, digits and separators looks random: at least 12 characters, enough different
 * ones, frequent changes between small letters, capitals and digits, and few runs of letters that read as words.
 */
export function looksRandom(text: string): boolean {
  const m = measure(text);
  const letters = m.lower + m.upper;
  if (m.length < 12 || m.distinct < 7) return false;
  if (m.hex && letters > 0 && m.digits > 0) return m.length - m.other >= 16 && m.distinct >= 8;
  if (m.digits === 0) {
    // The text has only letters: it must have mixed case and no words, as tokens of Hugging Face have.
    return (
      m.lower >= 4 && m.upper >= 4 && m.changes * 4 >= letters && m.wordy * 2 < letters && m.length >= 20
    );
  }
  if (m.digits < 2 && m.length < 24) return m.changes * 3 >= m.length && m.wordy * 3 < m.length;
  if (m.wordy * 2 >= m.length) return false;
  return letters > 0 && m.changes * 6 >= m.length;
}

/**
 * Returns whether a value in the place of a credential looks like one: letters with digits
 * or signs, no plain words, 8 characters or more. Weaker than `looksRandom`.
 */
export function looksSecret(text: string): boolean {
  if (text.length < 8 || text.length > 8192) return false;
  const m = measure(text);
  if (m.distinct < 4) return false;
  const letters = m.lower + m.upper;
  if (m.hex && m.length - m.other >= 16) return m.distinct >= 5;
  if (letters === 0) return false;
  if (m.digits === 0) {
    if (m.other > 0 && m.wordy + m.other >= m.length) return false;
    return m.lower >= 3 && m.upper >= 3 && m.changes * 4 >= letters && m.wordy * 2 < letters;
  }
  return m.wordy * 3 < m.length * 2 && m.changes >= 2;
}

/** Returns whether a text has several parts, and each mixes cases and digits and has no word: `aB3cd.eF4gh`. Names and slugs differ. */
export function isMixedThroughout(text: string): boolean {
  const parts = text.length > 80 ? [] : text.split(/[._-]/);
  const isMixed = (part: string) => [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(part));
  return parts.length > 1 && parts.every((part) => isMixed(part) && !/[A-Za-z][a-z]{3}|[A-Z]{4}/.test(part));
}

/**
 * Returns whether a text mixes small and capital letters with digits or at least two signs,
 * without a word: `Kq8&vT2mNx31`, `#Rii61/sluA`. At most two of five characters may be signs.
 */
export function isMixedPassword(text: string): boolean {
  if (text.length > 43) return false;
  const drawn = text.replace(/[!#$%&*+,/:;=?@^~(]/g, "");
  const signs = text.length - drawn.length;
  if (text.length < 8 || signs * 5 > text.length * 2 || !/^[A-Za-z\d]+$/.test(drawn)) return false;
  // A variable in a template is no password: `%ApiKey1%`, `$apiKey1`.
  if (/^[$%]?[A-Za-z]+\d*%?$/.test(text) && signs > 0) return false;
  const m = measure(drawn);
  return m.lower > 0 && m.upper > 0 && (m.digits > 0 || signs > 1) && m.changes >= 4 && m.wordy === 0;
}

/** Returns whether a text is words (`network-plugin`, `brackethighlighter.tag`) with few digits: part of a name, not a token. */
export function readsAsWords(text: string): boolean {
  if (text.length > 200) return false;
  const m = measure(text);
  return m.wordy > 0 && m.digits * 8 <= m.length && (m.wordy + m.other + m.digits) * 10 >= m.length * 8;
}

/** Hex of the length of a usual digest. A digest or a uuid is an identifier as often as a secret. */
const DIGEST = /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/i;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isDigest = (text: string): boolean => DIGEST.test(text);
export const isUuid = (text: string): boolean => UUID.test(text);

/** Returns whether hyphens stand where a uuid has them. Uuids are frequent and no tokens, so callers skip them before slower tests. */
export const hasUuidJoints = (text: string, at: number): boolean =>
  [8, 13, 18, 23].every((joint) => text.charCodeAt(at + joint) === 45);

/** Returns whether a text is only letters, and too many of the pieces that begin at its capitals are no words: `fcPsCAfxlama`. */
export function isGibberish(text: string): boolean {
  if (text.length < 8 || text.length > 40 || !/^[A-Za-z]+$/.test(text)) return false;
  if (!/[a-z][A-Z]/.test(text)) return false;
  const parts = text.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
  const odd = parts.filter(
    (part) => part.length < 2 || !/[aeiouy]/i.test(part) || (part.length > 3 && !/[AEIOUaeiou]/.test(part)),
  ).length;
  return odd >= 2 && odd * 3 >= parts.length;
}

/** Returns whether a word has a digit and a sign (`c0baltMarble69!`), or is joined words and a number (`meadow-lantern_44`). */
export function isPasswordLike(word: string): boolean {
  if (word.length < 8 || word.length > 64 || /[\s(){}[\]"'`<>;,]/.test(word) || !/\d/.test(word))
    return false;
  if (/pass|pwd|key|token|secret|user/i.test(word)) return false;
  return (/[!@#$%^&*+~?]/.test(word.slice(1)) && /[A-Za-z]{2}/.test(word)) || TWO_WORDS.test(word);
}

const TWO_WORDS = /^[A-Za-z]{3,16}(?:[._-][A-Za-z]{3,16}){1,3}[._-]?\d{2,6}$/;

/** Returns whether a value is almost certainly a key: one long random word that is neither a uuid nor public. */
export function isLoneKey(value: string): boolean {
  return /^[A-Za-z0-9_-]{20,}$/.test(value) && looksRandom(value) && !isUuid(value) && !isOpen(value);
}

/** Returns whether a value is a public key or id. */
export const isOpen = (value: string): boolean =>
  /^(?:pk|pub|publishable|price|prod|cus|sub|acct|org|proj|sb_pub)[_-]/.test(value);
