import { isText, isTranslation, NAMES_CREDENTIAL } from "../evidence/label.ts";
import type { Budget } from "../types.ts";

/** A text is judged in stretches of this many characters, each together with the stretch before and after it. */
const STRETCH = 1200;
/** A line that consists of a name and a literal, as in tables of translations. */
const LINE =
  /^[ \t]*(?:"((?:[^"\\\n]|\\.){1,120})"|'([^'\n]{1,120})'|([\p{L}_$][\p{L}\p{N}_$.-]{0,80}))[ \t]*(?:=>|[:=])[ \t]*(?:\n[ \t]{1,40})?(?:"((?:[^"\\\n]|\\.){0,1500})"|'((?:[^'\\\n]|\\.){0,1500})'|`([^`\n]{0,1500})`)[ \t]*,?[ \t]*;?[ \t]*\r?$/gmu;
/** When there are fewer lines, all have to be text, and two of them under names of credentials. */
const ENOUGH = 8;
const FEWEST = 3;

/**
 * Whether the literal from `start` to `end` is in a table of translations: among the lines around it with a name and a
 * literal, nearly all literals are text for people, and all names are different.
 */
export function isTranslationLine(text: string, start: number, end: number, budget: Budget): boolean {
  if (!isTranslation(text.slice(start, end))) return false;
  const stretch = Math.floor(start / STRETCH);
  budget.tables ??= new Map();
  let table = budget.tables.get(stretch);
  if (table === undefined) {
    table = isTable(text, stretch);
    budget.tables.set(stretch, table);
    budget.characters -= 3 * STRETCH;
  }
  return table;
}

function isTable(text: string, stretch: number): boolean {
  const from = text.lastIndexOf("\n", Math.max(0, (stretch - 1) * STRETCH)) + 1;
  const names = new Set<string>();
  let all = 0;
  let texts = 0;
  let named = 0;
  for (const match of text.slice(from, (stretch + 2) * STRETCH).matchAll(LINE)) {
    const name = (match[1] ?? match[2] ?? match[3]) as string;
    const value = match[4] ?? match[5] ?? match[6] ?? "";
    if (value === "") continue;
    const isNamed = NAMES_CREDENTIAL.test(name);
    all++;
    names.add(name);
    if (isText(value) || (isNamed && isTranslation(value))) texts++;
    if (isNamed) named++;
  }
  if (names.size * 10 < all * 7) return false;
  return all >= ENOUGH ? texts * 5 >= all * 4 : all >= FEWEST && named >= 2 && texts === all;
}
