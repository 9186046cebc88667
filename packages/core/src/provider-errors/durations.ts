/** The wait that the provider asks for: in seconds from now, or until a moment (milliseconds since the epoch). */
export type RetryHint = { seconds: number } | { at: number } | null;

/** Waits shorter than this (in seconds) count as none; the database's microseconds could not store them. */
const SHORTEST = 0.001;

/** The seconds of a unit, by its first letters. */
const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|milli)/i, 0.001],
  [/^(?:h|stund|小|시|ч)/i, 3600],
  [/^(?:s|秒|초|с)/i, 1],
  [/^(?:m|分|분|м)/i, 60],
  [/^(?:d|天)/i, 86_400],
];
const PART =
  /(\d{1,15}(?:\.\d{1,12})?)\s?(milliseconds?|ms|sekunden?|stunden?|secondes?|segundos?|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|秒|分|小时|小時|天|초|분|시간|секунд|сек|минут|мин|час)/gi;
const WHOLE =
  /^(?:\d{1,15}(?:\.\d{1,12})?\s?[a-z秒分小时時鐘钟天間초분시간секундмиатч]{1,12}[\s,]{0,2}(?:and\s)?){1,6}$/i;

/** Reads "34", "1.5", "34s", "6m0s", "1h2m", "644ms", "2 minutes and 3 seconds", "PT34S"; null for zero, negatives and other text. */
export function readDuration(text: string): RetryHint {
  const trimmed = text.trim().replace(/^PT(?=\d)|\s?(?:and|,)$/g, "");
  if (/^\d{1,15}(?:\.\d{1,12})?$/.test(trimmed)) return inSeconds(Number(trimmed));
  if (!WHOLE.test(trimmed)) return null;
  let seconds = 0;
  for (const [, amount, unit = ""] of trimmed.matchAll(PART)) {
    seconds += Number(amount) * (UNITS.find(([pattern]) => pattern.test(unit))?.[1] ?? 0);
  }
  return inSeconds(seconds);
}

/** Reads a duration in Azure's form: hours, minutes and seconds, with days before a dot ("2.13:47:06"). */
export function readClock(text: string): RetryHint {
  const [, days = "0", hours, minutes, seconds] =
    /^(?:(\d{1,3})\.)?(\d{1,2}):(\d\d):(\d\d)$/.exec(text) ?? [];
  return inSeconds(Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}

/** Reads a number of seconds. A Unix time between 2020 and 2100 is a moment, because some providers send a time. */
function inSeconds(seconds: number): RetryHint {
  if (!Number.isFinite(seconds) || seconds < SHORTEST) return null;
  if (seconds >= UNIX_FROM && seconds < UNIX_TO) return { at: seconds * 1000 };
  if (seconds >= UNIX_FROM * 1000 && seconds < UNIX_TO * 1000) return { at: seconds };
  return { seconds };
}

/** 2020 and 2100, in seconds since the epoch. */
const UNIX_FROM = 1_577_836_800;
const UNIX_TO = 4_102_444_800;

const DAY = "Mon|Tue|Wed|Thu|Fri|Sat|Sun";
/** The three forms of an HTTP-date (RFC 9110, section 5.6.7). The asctime form has no zone and means GMT. */
const IMF_OR_850 = new RegExp(
  `^(?:${DAY})[a-z]{0,6}, \\d{2}[ -][A-Z][a-z]{2}[ -]\\d{2,4} \\d{2}:\\d{2}:\\d{2} GMT$`,
);
const ASCTIME = new RegExp(`^(?:${DAY}) [A-Z][a-z]{2} [ \\d]\\d \\d{2}:\\d{2}:\\d{2} \\d{4}$`);
const RFC3339 =
  /^(\d{4}-\d\d-\d\d)(?:T|\sat\s|,?\s)(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)\s?(Z|UTC|GMT|[+-]\d\d:?\d\d)?$/i;

/** Reads an HTTP-date, an RFC 3339 time or a Unix time. `zone` is for times without a zone. Returns null for other text. */
export function readMoment(text: string, zone = "Z"): RetryHint {
  const trimmed = text.trim();
  if (/^\d{10,13}$/.test(trimmed)) return inSeconds(Number(trimmed));
  const [, date, time, named = zone] = RFC3339.exec(trimmed) ?? [];
  const written =
    date !== undefined
      ? `${date}T${time}${/^(?:utc|gmt|z)$/i.test(named) ? "Z" : named}`
      : ASCTIME.test(trimmed)
        ? `${trimmed} GMT`
        : IMF_OR_850.test(trimmed)
          ? trimmed
          : "";
  const at = Date.parse(written);
  return Number.isFinite(at) ? { at } : null;
}
