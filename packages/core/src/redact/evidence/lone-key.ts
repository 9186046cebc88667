import { isUuid, looksRandom } from "./entropy.ts";

/** A value that is almost certainly a key: one long random word, which is neither a uuid nor meant for everyone. */
export function isLoneKey(value: string): boolean {
  return (
    value.length >= 20 &&
    /^[A-Za-z0-9_-]+$/.test(value) &&
    looksRandom(value) &&
    !isUuid(value) &&
    !isOpen(value)
  );
}

/** Keys and ids meant for everyone. */
export const isOpen = (value: string): boolean =>
  /^(?:pk|pub|publishable|price|prod|cus|sub|acct|org|proj|sb_pub)[_-]/.test(value);
