/** Smaller numbers mean seconds from now. From here on, a number is a Unix time: in seconds, from UNIX_MILLISECONDS on in milliseconds. */
const UNIX_SECONDS = 1e9;
const UNIX_MILLISECONDS = 1e12;

/** Headers that state when a limit is reset: those of OpenAI, Groq and most others, of Anthropic, and of the IETF drafts. */
const RESET =
  /^(?:x-ratelimit-reset(?:-[a-z-]{1,40})?|anthropic-ratelimit-[a-z0-9-]{1,40}-reset|ratelimit-reset)$/;

/**
 * Returns the wait that the headers of an answer state, with its unit, in a form that the service reads: "18000s", a date. For a 429
 * without Retry-After, this is the soonest reset of a limit that is used up, from the headers of the limits. Null if no wait is stated.
 */
export function retryAfter(headers: Iterable<readonly [string, unknown]>, status: number): string | null {
  const values = new Map<string, string>();
  for (const [name, value] of headers)
    if (typeof value === "string" || typeof value === "number")
      values.set(name.toLowerCase(), String(value).trim().slice(0, 64));
  const milliseconds = values.get("retry-after-ms") ?? "";
  if (/^\d+(\.\d+)?$/.test(milliseconds)) return `${Number(milliseconds) / 1000}s`;
  const seconds = values.get("retry-after") ?? "";
  if (seconds !== "") return /^\d+(\.\d+)?$/.test(seconds) ? `${seconds}s` : seconds;
  return status === 429 ? soonestReset(values) : null;
}

function soonestReset(values: ReadonlyMap<string, string>): string | null {
  let soonest = Number.POSITIVE_INFINITY;
  for (const [name, value] of values) {
    if (!RESET.test(name)) continue;
    const remaining = Number(values.get(name.replace("reset", "remaining")) ?? 0);
    const reset = readReset(value);
    if (!(remaining > 0) && reset > 0) soonest = Math.min(soonest, reset);
  }
  if (soonest === Number.POSITIVE_INFINITY) return null;
  return soonest < UNIX_SECONDS ? `${soonest}s` : new Date(soonest * 1000).toISOString();
}

/** Returns seconds from now, or a Unix time in seconds; 0 for a text that is neither. */
function readReset(value: string): number {
  if (/^\d+(\.\d+)?$/.test(value)) {
    const number = Number(value);
    return number < UNIX_MILLISECONDS ? number : number / 1000;
  }
  const [, days, hours, minutes, seconds, milliseconds] =
    /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/.exec(value) ?? [];
  const duration =
    Number(days ?? 0) * 86_400 +
    Number(hours ?? 0) * 3_600 +
    Number(minutes ?? 0) * 60 +
    Number(seconds ?? 0);
  if (duration > 0 || milliseconds !== undefined) return duration + Number(milliseconds ?? 0) / 1000;
  return /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) / 1000 || 0 : 0;
}
