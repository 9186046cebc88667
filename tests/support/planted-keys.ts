import { randomUUID } from "node:crypto";

/**
 * The beginning of all keys in tests. Only the answer of get-active-key may show such a key: each recorded answer and the whole output of
 * `npm test` are searched for these keys (support/openapi/check-answer.ts, run.ts).
 */
const MARK = "sk-planted-";
const PLANTED = new RegExp(`${MARK}[0-9a-f]{8}`);

/** Returns a new key for a pool of a test. */
export const plantedKey = () => `${MARK}${randomUUID()}`;

/** Returns whether a text shows a key of a test. The beginning of a key alone is not a key. */
export const showsPlantedKey = (text: string) => PLANTED.test(text);
