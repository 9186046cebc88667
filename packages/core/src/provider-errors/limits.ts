/** An error's body states the error near its beginning; the rest of a page or of a repeated request is not read. */
export const READ_CHARACTERS = 32_768;

/** Whether one request asks for more than the whole limit: "Limit 5000, Used 0, Requested 6053". */
export function isLargerThanLimit(text: string): boolean {
  const [, limit, requested] =
    /\blimit:? (\d{1,9}),? used:? \d{1,9},? requested:? ~?(\d{1,9})/i.exec(
      text.replaceAll(/(\d),(?=\d{3})/g, "$1"),
    ) ?? [];
  return requested !== undefined && Number(requested) > Number(limit);
}
