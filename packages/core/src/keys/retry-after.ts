/** How long the provider asks to wait: seconds from now, or until a moment (milliseconds since the epoch). */
export type RetryHint = { seconds: number } | { at: number } | null;

/** Shorter waits, in seconds, are as good as none, and would be lost in the database's microseconds. */
const SHORTEST = 0.001;

const DAY = "Mon|Tue|Wed|Thu|Fri|Sat|Sun";
/** The three forms of an HTTP-date (RFC 9110, section 5.6.7); the last one, of asctime, names no zone and means GMT. */
const IMF_OR_850 = new RegExp(
  `^(?:${DAY})[a-z]*, \\d{2}[ -][A-Z][a-z]{2}[ -]\\d{2,4} \\d{2}:\\d{2}:\\d{2} GMT$`,
);
const ASCTIME = new RegExp(`^(?:${DAY}) [A-Z][a-z]{2} [ \\d]\\d \\d{2}:\\d{2}:\\d{2} \\d{4}$`);

/**
 * Reads a Retry-After value: seconds as a number or text, decimals allowed, or an HTTP-date. Zero, negative and
 * nonsense values give null. A date in the past is told by whoever has the clock.
 */
export function parseRetryAfter(value: number | string | null): RetryHint {
  if (typeof value === "number")
    return Number.isFinite(value) && value >= SHORTEST ? { seconds: value } : null;
  if (value === null) return null;
  const text = value.trim();
  if (/^\d{1,15}(?:\.\d{1,9})?$/.test(text)) return parseRetryAfter(Number(text));
  const time = IMF_OR_850.test(text)
    ? Date.parse(text)
    : ASCTIME.test(text)
      ? Date.parse(`${text} GMT`)
      : Number.NaN;
  return Number.isFinite(time) ? { at: time } : null;
}
