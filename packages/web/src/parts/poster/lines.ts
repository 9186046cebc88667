/** A run of text in one style. */
export interface Run {
  text: string;
  strong: boolean;
}

/** The largest number of characters that can be seen on a poster. */
const MOST_CHARACTERS = 600;

/** Breaks runs into at most `most` lines of at most `units` narrow letters each; cuts off the rest. */
export function linesOf(runs: readonly Run[], units: number, most: number): Run[][] {
  const lines: Run[][] = [[]];
  let used = 0;
  const feed = () => {
    lines.push([]);
    used = 0;
  };
  let left = MOST_CHARACTERS;
  for (const { text, strong } of runs) {
    const shown = text.slice(0, left);
    left -= shown.length;
    for (const word of shown.match(/\n|[^\S\n]+|[^\s]+/g) ?? []) {
      if (lines.length > most) return lines.slice(0, most);
      if (word === "\n") {
        // Keep one empty line between paragraphs, and none at the top.
        if (used > 0 || (lines.length > 1 && (lines.at(-2)?.length ?? 0) > 0)) feed();
        continue;
      }
      if (word.trim() === "") {
        if (used > 0) put(lines, " ", strong);
        used += used > 0 ? 1 : 0;
        continue;
      }
      if (used > 0 && used + widthOf(word) > units) feed();
      for (const piece of pieces(word, units)) {
        if (used > 0 && used + widthOf(piece) > units) feed();
        put(lines, piece, strong);
        used += widthOf(piece);
      }
    }
  }
  return lines.slice(0, most);
}

/** Returns the width of a text in narrow letters: an East Asian letter counts as 1.8. */
export function widthOf(text: string): number {
  let width = 0;
  for (const letter of text)
    width += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/u.test(letter) ? 1.8 : 1;
  return width;
}

/** Cuts a text to the given width in narrow letters. */
export function fitting(text: string, units: number): string {
  const clean = text.replace(/\s+/g, " ").trim();
  if (widthOf(clean) <= units) return clean;
  let short = "";
  for (const letter of clean.slice(0, 2 * units)) {
    if (widthOf(short) + widthOf(letter) > units - 1) break;
    short += letter;
  }
  return `${short.trimEnd()}…`;
}

/** Returns whether a text is read from right to left, judged by its first letter. */
export function isRightToLeft(text: string): boolean {
  const first = /\p{L}/u.exec(text)?.[0] ?? "";
  return /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u.test(first);
}

/** Cuts a word into pieces that each fit into a line. */
function pieces(word: string, units: number): string[] {
  if (widthOf(word) <= units) return [word];
  const all: string[] = [""];
  for (const letter of word) {
    const last = all.length - 1;
    if (widthOf(`${all[last]}${letter}`) > units) all.push(letter);
    else all[last] += letter;
  }
  return all;
}

function put(lines: Run[][], text: string, strong: boolean): void {
  const line = lines.at(-1);
  const last = line?.at(-1);
  if (last && last.strong === strong) last.text += text;
  else line?.push({ text, strong });
}
