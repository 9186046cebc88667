/** Returns a duration such as `45 s`, `12 min`, `3 h` or `2 d`, rounded up, so that it is never too short. */
export function duration(seconds: number): string {
  if (seconds < 100) return `${seconds} s`;
  if (seconds < 100 * 60) return `${Math.ceil(seconds / 60)} min`;
  if (seconds < 100 * 3600) return `${Math.ceil(seconds / 3600)} h`;
  return `${Math.ceil(seconds / 86_400)} d`;
}

export const STATES = { available: "available", cooling_down: "cooling down", disabled: "disabled" } as const;

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "medium" });

/** Returns the time in the reader's time zone. */
export function localTime(iso: string): string {
  return TIME.format(new Date(iso));
}

/** Returns a name as words: `rate_limited` becomes "rate limited". */
export function words(name: string): string {
  return name.replaceAll("_", " ");
}
