import { isUuid, looksRandom } from "./entropy.ts";

/** Returns whether a value is almost certainly a key: one long random word that is neither a uuid nor public. */
export function isLoneKey(value: string): boolean {
  return (
    value.length >= 20 &&
    /^[A-Za-z0-9_-]+$/.test(value) &&
    looksRandom(value) &&
    !isUuid(value) &&
    !isOpen(value)
  );
}

/** Returns whether a value is a public key or id. */
export const isOpen = (value: string): boolean =>
  /^(?:pk|pub|publishable|price|prod|cus|sub|acct|org|proj|sb_pub)[_-]/.test(value);
