/** The most characters that are read: a body states its error near the beginning, before the rest of a page or a repeated request. */
export const READ_CHARACTERS = 32_768;

/** Returns whether one request asks for more than the whole limit: "Limit 5000, Used 0, Requested 6053". */
export function isLargerThanLimit(text: string): boolean {
  const [, limit, requested] =
    /\blimit:? (\d{1,9}),? used:? \d{1,9},? requested:? ~?(\d{1,9})/i.exec(
      text.replaceAll(/(\d),(?=\d{3})/g, "$1"),
    ) ?? [];
  return requested !== undefined && Number(requested) > Number(limit);
}
