/** Returns whether a word has a digit and a sign (`c0baltMarble69!`), or is two words with a number (`meadow-lantern_44`). */
export function isPasswordLike(word: string): boolean {
  if (word.length < 8 || word.length > 64 || /[\s(){}[\]"'`<>;,]/.test(word) || !/\d/.test(word))
    return false;
  if (/pass|pwd|key|token|secret|user/i.test(word)) return false;
  return (/[!@#$%^&*+~?]/.test(word.slice(1)) && /[A-Za-z]{2}/.test(word)) || TWO_WORDS.test(word);
}

const TWO_WORDS = /^[A-Za-z]{3,16}(?:[._-][A-Za-z]{3,16}){1,3}[._-]?\d{2,6}$/;
