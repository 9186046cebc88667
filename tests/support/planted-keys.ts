import { randomUUID } from "node:crypto";

/**
 * What keys of tests begin with. Nothing may show one but the answer of get-active-key: each recorded answer and the whole output
 * of `npm test` are searched for it (support/openapi/check-answer.ts, run.ts).
 */
const MARK = "sk-planted-";
const PLANTED = new RegExp(`${MARK}[0-9a-f]{8}`);

/** A new key for a pool of a test. */
export const plantedKey = () => `${MARK}${randomUUID()}`;

/** Whether a text shows one of those keys; the mark alone is none. */
export const showsPlantedKey = (text: string) => PLANTED.test(text);
