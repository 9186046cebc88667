import { randomUUID } from "node:crypto";

/**
 * The beginning of all keys in tests. Only the answer of get-active-key may show one: each recorded answer and the whole output of `npm
 * test` are searched for it (support/openapi/check-answer.ts, run.ts).
 */
const MARK = "sk-planted-";
const PLANTED = new RegExp(`${MARK}[0-9a-f]{8}`);

/** Returns a new key for a pool of a test. */
export const plantedKey = () => `${MARK}${randomUUID()}`;

/** Whether a text shows one of those keys; the beginning alone does not count. */
export const showsPlantedKey = (text: string) => PLANTED.test(text);
