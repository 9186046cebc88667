/** The speaker of a line of a chat, possibly with the time before it: `ann: `, `<ann> `, `[10:02] ann: `. */
const SPEAKER =
  "[ \\t>]{0,4}(?:\\[?\\d{1,2}:\\d{2}(?::\\d{2})?(?: ?[AP]M)?\\]?[ \\t]{1,2})?(?:<[\\p{L}@][\\p{L}\\p{N}_.-]{0,23}>:?|[\\p{L}@][\\p{L}\\p{N}_.-]{0,23}:)[ \\t]{1,2}";
const ASKED = new RegExp(`^${SPEAKER}\\S`, "u");
const REPLIED = new RegExp(
  `(\\r?\\n${SPEAKER})["'\`]?[^\\s"'\`<>]{6,400}["'\`]?[ \\t]{0,4}(?=\\r?\\n|$)`,
  "uy",
);

/**
 * The text between a name at the end of a line of a chat and the single word of the next line: `ann: the password:` and
 * `ann: x`. `at` is the name's separator, `from` the end of its line.
 */
export function chatReplyPrefix(text: string, at: number, from: number): string | null {
  const before = text.slice(Math.max(0, at - 160), at);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  if (!ASKED.test(line)) return null;
  REPLIED.lastIndex = from;
  return REPLIED.exec(text)?.[1] ?? null;
}
