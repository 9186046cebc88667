import { isDigest, looksRandom, looksSecret } from "../evidence/entropy.ts";
import { isPlaceholder } from "../evidence/placeholder.ts";
import type { KindOf, Span } from "../types.ts";

/** `x as OPENAI_API_KEY`, `x is my password`: up to three words after a value, with its name. */
const TRAILING_NAME =
  /["'`*)]{0,3},?\s(?:as|is|for|goes into|into)\s(?:(?:the|my|our|your|its|this|new|a|an)\s){0,2}["'`*]{0,2}([A-Za-z][\w-]{2,40}(?:\s[a-z][a-z-]{2,20}){0,2})/y;
const TOKEN = /[A-Za-z0-9+/_~.=-]/;
const FAR = 120;

/** A random word with the name of a credential after it. `start` and `end` are those of the run in it. */
export function namedAfter(
  text: string,
  start: number,
  end: number,
  from: number,
  kindOf: KindOf,
): Span | null {
  TRAILING_NAME.lastIndex = end;
  const words = TRAILING_NAME.exec(text)?.[1];
  if (words === undefined || !namesSecret(words, kindOf)) return null;
  let first = start;
  while (first > from && start - first < FAR && TOKEN.test(text[first - 1] as string)) first--;
  const word = text.slice(first, end);
  if (
    word.length < 8 ||
    isPlaceholder(word) ||
    !(looksRandom(word) || isDigest(word) || isShort(words, word))
  )
    return null;
  return { start: first, end, rule: "prose-credential" };
}

/** Beside the name of a variable a shorter word is enough. */
function isShort(name: string, word: string): boolean {
  return /^[A-Z][A-Z0-9_]+$/.test(name) && /\d.*[a-z].*\d|[a-z].*\d.*[a-z]/i.test(word) && looksSecret(word);
}

function namesSecret(words: string, kindOf: KindOf): boolean {
  let name = words;
  for (;;) {
    if (kindOf(name) === "strong") return true;
    const cut = name.lastIndexOf(" ");
    if (cut < 0) return false;
    name = name.slice(0, cut);
  }
}
