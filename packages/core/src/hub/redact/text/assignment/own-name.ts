/** The name before the separator of the value at `start`, unchanged. */
export function nameOf(text: string, start: number): string {
  const before = text.slice(Math.max(0, start - 120), start);
  return /([\w$.-]{1,100})["'`\]]{0,2}\s{0,4}[:=]{1,2}\s{0,4}[fbru]?["'`%?]?$/.exec(before)?.[1] ?? "";
}
