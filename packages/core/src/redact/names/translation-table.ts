import { isText, isTranslation, NAMES_CREDENTIAL } from "../evidence/label.ts";

/** Counts of the strings in an object and in the objects inside it. */
interface Strings {
  all: number;
  texts: number;
  /** Under names of credentials. */
  named: number;
}

/** This many strings are enough evidence; with fewer, all have to be text, and two of them under names of credentials. */
const ENOUGH = 12;
/** The most strings that are read. */
const MOST = 4000;

/**
 * Which objects are tables of translations: nearly all of their strings are text for people. Lists are not read:
 * they hold rows of data, with names of people and their passwords.
 */
export class TranslationTables {
  readonly #known = new WeakMap<object, Strings>();
  readonly #take: () => boolean;

  /** `take` counts each string that is read; false when the budget is used up. */
  constructor(take: () => boolean) {
    this.#take = take;
  }

  /** Whether a string is a translation, by the innermost of these objects with enough evidence. The outermost comes first. */
  holds(value: string, objects: readonly object[]): boolean {
    if (!isTranslation(value)) return false;
    for (let n = objects.length - 1; n >= 0; n--) {
      const { all, texts, named } = this.#strings(objects[n] as Record<string, unknown>, 0);
      if (all >= ENOUGH) return texts * 5 >= all * 4;
      if (all >= 3 && named >= 2 && texts === all) return true;
    }
    return false;
  }

  #strings(object: Record<string, unknown>, depth: number): Strings {
    const known = this.#known.get(object);
    if (known !== undefined) return known;
    const found: Strings = { all: 0, texts: 0, named: 0 };
    this.#known.set(object, found);
    for (const key of Object.keys(object)) {
      if (found.all >= MOST || depth > 12 || !this.#take()) break;
      const value = object[key];
      if (typeof value === "string") {
        if (value === "") continue;
        const named = NAMES_CREDENTIAL.test(key);
        found.all++;
        if (isText(value) || (named && isTranslation(value))) found.texts++;
        if (named) found.named++;
      } else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
        const inner = this.#strings(value as Record<string, unknown>, depth + 1);
        found.all += inner.all;
        found.texts += inner.texts;
        found.named += inner.named;
      } else if (typeof value === "number") {
        found.all++;
      }
    }
    return found;
  }
}
