/** Matches the characters that the font for `og:image` pictures lacks. The font has Latin, Greek, Cyrillic, and their punctuation. */
const OTHERS =
  /[^\n\u0020-\u007e\u00a0-\u00ac\u00ae-\u0148\u014a-\u01c3\u01c5-\u0254\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03d7\u0400-\u0479\u0480-\u0482\u048a-\u049d\u04a0-\u04ff\u1e00-\u1e9b\u2010-\u2027\u2030-\u2055\u20a0-\u20af\u2122\u2190-\u2199]/gu;

/** Replaces each letter that the font lacks by a dash, as in a sketch of a text. Other characters that the font lacks are left out. */
export function sketched(svg: string): string {
  // Dashes run from left to right, so a right-to-left line must be anchored at its end.
  return svg
    .replaceAll('direction="rtl"', 'text-anchor="end"')
    .replace(OTHERS, (letter) => (/\p{L}/u.test(letter) ? "—" : ""));
}

/** Returns the part of a title that can be drawn; null when less than half of its letters and digits can be drawn. */
export function drawableTitle(title: string): string | null {
  const kept = title.replace(OTHERS, "").replace(/\s+/g, " ").trim();
  const letters = (text: string) => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  return letters(kept) > 0 && 2 * letters(kept) >= letters(title) ? kept : null;
}
