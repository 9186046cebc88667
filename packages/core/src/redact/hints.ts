import { isLoneKey } from "./evidence/entropy.ts";
import { keyReader } from "./names/roles.ts";
import { pathOf } from "./receipts.ts";
import { DEEPEST } from "./redact.ts";
import { IDENTIFIER_PREFIX } from "./secret-formats/generic-token.ts";

/** A value that may be a secret or not. Its author decides. */
export interface Hint {
  path: string;
  /** `random_word`: a long random word whose name does not explain it. */
  reason: "random_word";
}

/** The most hints that are listed, and the longest word that can be a hint. */
const [LISTED, LONGEST] = [50, 200];
/** Names of lists with random elements that are not secrets. */
const IDENTIFIERS =
  /(?:id|uuid|guid|hash|sha\d*|digest|checksum|etag|commit|version|file|image|asset|url|link|node|edge|tag|model|seed|color)e?s?$/i;

/**
 * Returns the values in a redacted value that may be secrets although no name says so, such as the value
 * of a ComfyUI widget without a name: an element of a list, or a member that is only named `value`.
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
