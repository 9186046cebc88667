import { isLoneKey } from "./evidence/entropy.ts";
import { keyReader } from "./names/roles.ts";
import { pathOf } from "./receipts.ts";
import { DEEPEST } from "./redact.ts";
import { IDENTIFIER_PREFIX } from "./secret-formats/generic-token.ts";

/** A place whose value may be a secret. The author of the asset checks the value. */
export interface Hint {
  path: string;
  /** `random_word`: a long random word. Its name does not show that it is something else, such as a hash. */
  reason: "random_word";
}

/** The most hints that are listed, and the longest word that can be a hint, in characters. */
const [LISTED, LONGEST] = [50, 200];
/** Endings of the names of lists whose random elements are not secrets, such as `fileIds`. */
const IDENTIFIERS =
  /(?:id|uuid|guid|hash|sha\d*|digest|checksum|etag|commit|version|file|image|asset|url|link|node|edge|tag|model|seed|color)e?s?$/i;

/**
 * Returns the parts of a redacted value that may be secrets although no name says so: elements of a list, such as
 * the values of ComfyUI widgets, and members with a general name such as `value`.
 */
export function hintsOf(value: unknown): Hint[] {
  const hints: Hint[] = [];
  const readKey = keyReader();
  const way: (string | number)[] = [];
  const look = (next: unknown, explained: boolean): void => {
    if (hints.length >= LISTED) return;
    if (typeof next === "string") {
      if (!explained && isUndecided(next)) hints.push({ path: pathOf(way), reason: "random_word" });
    } else if (typeof next === "object" && next !== null && way.length < DEEPEST) {
      for (const [key, child] of Array.isArray(next) ? next.entries() : Object.entries(next)) {
        way.push(key);
        if (typeof key === "number") look(child, explained);
        else look(child, Array.isArray(child) ? IDENTIFIERS.test(key) : readKey(key).role !== "value");
        way.pop();
      }
    }
  };
  look(value, true);
  return hints;
}

const isUndecided = (text: string): boolean =>
  text.length <= LONGEST && /\d/.test(text) && isLoneKey(text) && !IDENTIFIER_PREFIX.test(text);
