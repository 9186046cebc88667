import { isLargerThanLimit, READ_CHARACTERS } from "./identifiers.ts";

/** The wait that the provider asks for: in seconds from now, or until a moment (milliseconds since the epoch). */
export type RetryHint = { seconds: number } | { at: number } | null;

/** Waits shorter than this number of seconds are ignored. The database stores microseconds, so the shortest waits would become 0 there. */
const SHORTEST = 0.001;

/** The units of time by their first letters, with their length in seconds. */
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
function readDuration(text: string): RetryHint {
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
function readClock(text: string): RetryHint {
  const [, days = "0", hours, minutes, seconds] =
    /^(?:(\d{1,3})\.)?(\d{1,2}):(\d\d):(\d\d)$/.exec(text) ?? [];
  return inSeconds(Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}

/** Reads a number of seconds. A Unix time between 2020 and 2100 is read as a moment, because some providers send one. */
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
function readMoment(text: string, zone = "Z"): RetryHint {
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

/** The wait that a report states. */
export interface StatedWait {
  /** The wait to use; null when no plausible one is stated. */
  hint: RetryHint;
  /** `retry_after` or the text contains a wait, even if the wait cannot be used. */
  stated: boolean;
}

/**
 * Reads the wait that a provider asks for: from `retry_after` (seconds, "34s", "6m0s", HTTP-date, RFC 3339, Unix time),
 * or else from the text (RetryInfo, "try again in 6m0s", quoted headers). Zero, negative and nonsense values are
 * ignored. The caller, which has a clock, checks whether a moment is in the past. Linear in the length of the text.
 *
 * `isLong`: the answer is about a limit of hours or longer, so a large `retry_after` without a unit can mean seconds.
 */
export function readWait(
  retryAfter: number | string | null | undefined,
  errorMessage: string | null | undefined,
  isLong = false,
): StatedWait {
  const text = (errorMessage ?? "").slice(0, READ_CHARACTERS).replaceAll('\\"', '"').replace(/\s+/g, " ");
  const sent = String(retryAfter ?? "").trim();
  const body = waitIn(text);
  // A number this large without a unit is more often milliseconds than hours. A wait in the text is preferred, because it has a unit.
  const isUnclear = /^\d{5,9}$/.test(sent) && Number(sent) >= LARGE && !isLong;
  const header = isUnclear ? (body ?? readDuration(`${sent}ms`)) : readRetryAfter(retryAfter ?? null);
  // No wait helps if the request is larger than the limit, or if the plan does not include the model (although Gemini states a wait then).
  const hint = NEVER.test(text) || isLargerThanLimit(text) ? null : (header ?? body);
  return { hint, stated: sent !== "" || body !== null };
}

/** From this number on, a `retry_after` without a unit would mean hours if it were in seconds (10,000 s are 2.8 hours). */
const LARGE = 10_000;

/** Gemini's 429 for a model that the plan does not include. */
const NEVER = /\blimit:\s{0,2}0(?![\d.])/;

/** Reads a Retry-After value; null for zero, negative and nonsense values. */
export function readRetryAfter(value: number | string | null): RetryHint {
  if (value === null) return null;
  // The value may contain the header's name: "retry-after-ms: 10".
  const [, milliseconds, text = ""] =
    /^(?:retry-after(-ms)?:)?\s{0,3}(.{0,64})$/i.exec(String(value).trim()) ?? [];
  if (milliseconds !== undefined) return readDuration(`${text}ms`);
  return readDuration(text) ?? readMoment(text);
}

/** A duration with its unit, as part of a pattern. Every repetition in these patterns is bounded. */
const DURATION = String.raw`~?((?:\d{1,9}(?:\.\d{1,12})?\s?(?:ms|milliseconds?|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)(?![a-z])[\s,]{0,2}(?:and\s)?){1,4})`;
const MOMENT = String.raw`(\d{4}-\d\d-\d\d(?:T|\sat\s|,?\s)\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?\s?(?:Z|UTC|GMT|[+-]\d\d:?\d\d)?)`;
const VERB =
  "\\b(?:try again|retry(?!ing)|wait(?! time)|available again|available|resets?|resetting|reset|regain access|come back|cool ?down|throttled|blocked|locked|reattempt|next (?:request|attempt|call))";
/** Durations in other languages. */
const FOREIGN = String.raw`(\d{1,6}\s?(?:секунд|сек|минут|мин|час|sekunden?|minuten?|stunden?|secondes?|minutes?|heures?|segundos?|minutos?|horas?))`;
/** A pattern whose group is a wait, and the reader of that group. */
type Stated = readonly [pattern: RegExp, read: (found: string) => RetryHint];
const stated = (pattern: RegExp, read: Stated[1]): Stated => [pattern, read];
const duration = (pattern: RegExp) => stated(pattern, readDuration);
const moment = (pattern: RegExp) => stated(pattern, (found) => readMoment(found));
const inBeijing = (found: string) => readMoment(found, "+08:00");
/** The forms in which texts state a wait. The first form that yields one is used, so the most specific forms come first. */
const STATED: readonly Stated[] = [
  duration(new RegExp(`${VERB}[^\\d.]{0,40}(?<![-−]|every |per |each |wait time: )${DURATION}`, "i")),
  duration(new RegExp(`\\brequested (?:a )?${DURATION} (?:wait|delay)\\b`, "i")),
  duration(/["']?retry_?delay["']?\s{0,3}[:=]\s{0,3}["']?(\d{1,9}(?:\.\d{1,12})?s)/i),
  duration(/retry_?delay["']?\s{0,3}[:=]?\s{0,3}\{[\s"']{0,8}seconds["']?\s{0,3}:\s{0,3}["']?(\d{1,9})/i),
  stated(/retry[_-]?after[_-]?ms["']?\s{0,3}[:=,]\s{0,3}["'[]{0,2}(\d{1,9})/i, (found) =>
    readDuration(`${found}ms`),
  ),
  stated(
    /retry[_-]?after(?:_?seconds|_?secs|-?s)?["']?\s{0,3}[:=,]\s{0,3}["'[]{0,2}(\d{1,9}(?:\.\d{1,12})?)(?![\d-])/i,
    readRetryAfter,
  ),
  duration(/resets?[_-](?:in|after)(?:[_-]seconds?|_secs?)?["']?\s{0,3}[:=]\s{0,3}(\d{1,9}(?:\.\d{1,12})?)/i),
  duration(/\bretry after (\d{1,6})(?![\d.:/-]|\s?[a-z])/i),
  stated(
    /(?:replenished in|retry after|try again in|resets? in):? ((?:\d{1,3}\.)?\d{1,2}:\d\d:\d\d)/i,
    readClock,
  ),
  duration(
    /["'](?:wait(?:_?(?:time|for))?|retry_?in|time_?left|(?:time|seconds)_?(?:until|to|before)_?(?:reset|retry)|cool_?down)(?:_?seconds)?["']\s?:\s?["']?(\d{1,6}(?:\.\d{1,12})?)/i,
  ),
  duration(/\b(?:wait|cooldown|retry_in|seconds_left)_?seconds["']?\s?[:=]\s?["']?(\d{1,6})\b/i),
  duration(/\bresets? in: ?(\d{1,6})(?![\d.:/-]|\s?[a-z])/i),
  duration(new RegExp(`(?:через|nach|in|dans|après|en|em|warten sie|подождите) ${FOREIGN}`, "i")),
  duration(/(\d{1,6}\s?(?:초|분|시간))\s?(?:후|뒤)/),
  duration(/estimated_?time["']?\s{0,3}[:=]\s{0,3}(\d{1,6}(?:\.\d{1,12})?)/i),
  duration(/(\d{1,6}\s?(?:秒|分钟|分鐘|小时|小時|天|秒間|分))\s?(?:后|後|之后|之後|以后|後に)/),
  // Z.AI and other providers in China state Beijing time without a zone, also in English messages.
  stated(new RegExp(`${MOMENT}\\s?(?:重置|恢复|后重试|解除)`), inBeijing),
  stated(new RegExp(`\\byour limit will reset at ${MOMENT}`, "i"), inBeijing),
  moment(new RegExp(`${VERB}[^\\d]{0,40}${MOMENT}`, "i")),
  duration(new RegExp(`reset[\\w-]{0,24}["']?\\s{0,3}[:=,]\\s{0,3}["'[]{0,2}${DURATION}`, "i")),
  moment(new RegExp(`reset[\\w-]{0,24}["']?\\s{0,3}[:=,]\\s{0,3}["'[]{0,2}${MOMENT}`, "i")),
  moment(/reset[\w-]{0,24}["']?\s{0,3}[:=,]\s{0,3}["'[]{0,2}(1[6-9]\d{8}(?:\d{3})?)(?!\d)/i),
];

function waitIn(text: string): RetryHint {
  if (
    !/retry|again|wait|reset|regain|replenish|availab|cool|estimated|locked|next request|left|seconds_|秒|分|小时|天|重置|초|시간|через|erneut|essayer|nuevo|novamente/i.test(
      text,
    )
  )
    return null;
  for (const [pattern, read] of STATED) {
    const found = pattern.exec(text)?.[1];
    const hint = found === undefined ? null : read(found);
    if (hint !== null) return hint;
  }
  return null;
}
