import type { DayOf, Outcome, RetryHint, Verdict } from "../provider-errors/index.ts";

/**
 * The numbers of the cooldown policy, in seconds unless said otherwise. No provider prescribes them. The first cooldowns are so short
 * that a key at a per-minute limit is blocked only once or twice. The caps ensure that every cooled key returns.
 */
export const POLICY = {
  /** 429: base × 2^(n−1), n = failures in a row, including the reported one. */
  rate: { base: 30, cap: 15 * 60 },
  /** For a 402, a 429 about money, or a limit of a day or longer whose end is not known. */
  quota: { base: 10 * 60, cap: 24 * 60 * 60 },
  /** A 401 without a reason may be a temporary error of the provider: the key cools, but n, its failures in a row, does not grow. */
  unauthorized: { base: 5 * 60 },
  /** A 401 or 403 about an organization, project, region, model or permission. Another key may be allowed, so this key cools. */
  refused: { base: 5 * 60 },
  /**
   * Breaker: reports disable at most this many keys of one pool and provider within the window, because a network that refuses
   * requests would make every key fail. Further keys cool for `base` instead. At most one alert is written in each `alertInterval`.
   */
  breaker: { maxDisabled: 2, window: 60, base: 5 * 60, alertInterval: 5 * 60 },
  /**
   * 5xx: `errorThreshold` server errors in a row within the window change nothing; the next one cools the key. A provider's hint is cut to
   * `hintCap`.
   */
  server: { base: 10, errorThreshold: 2, window: 60, hintCap: 60 },
  /** Jitter: a cooldown is longer by up to this fraction, so that keys do not all become ready at the same moment. */
  jitter: 0.2,
  /** Longest wait that a provider's hint can ask for, except after a 5xx. */
  hintCap: 24 * 60 * 60,
  /** After this time without a failure, n (the failures in a row) is 0 again. */
  resetAfter: 24 * 60 * 60,
} as const;

/** The changes that private.next_state may make to a key; the member `rule` of a report names the change. */
export type Transition = "success" | "ignore" | "tolerate" | "cool" | "escalate" | "disable";

/** The fields of report_api_key's argument `report` that the policy sets. Durations are in seconds. */
export interface TransitionArguments {
  rule: Transition;
  base_seconds?: number;
  cap_seconds?: number;
  jitter?: number;
  hint_seconds?: number;
  hint_at?: string;
  hint_cap_seconds?: number;
  error_threshold?: number;
  window_seconds?: number;
  reset_after_seconds?: number;
  breaker_most?: number;
  breaker_window_seconds?: number;
  breaker_quiet_seconds?: number;
}

/** The fields of a verdict that the policy reads. */
export type Cause = Pick<Verdict, "outcome"> & Partial<Pick<Verdict, "disables" | "window" | "dayOf">>;

/**
 * Chooses the transition for a classified report, with its numbers, such as the cooldown. `random` is in [0, 1). `now` is in milliseconds
 * since the epoch; it is needed for providers whose limits end at midnight in their own zone.
 */
export function transitionFor(
  cause: Cause,
  hint: RetryHint,
  random: number,
  now: number = Date.now(),
): TransitionArguments {
  const wait = hint ?? (isLimit(cause.outcome) ? endOfDay(cause, now) : null);
  switch (cause.outcome) {
    case "success":
      return { rule: "success" };
    case "rate_limited":
      return escalate(wait === null && isLong(cause) ? POLICY.quota : POLICY.rate, wait, random);
    case "quota_exhausted":
      return escalate(POLICY.quota, wait, random);
    case "invalid_key":
      if (cause.disables) return disable();
      return { rule: "cool", base_seconds: POLICY.unauthorized.base, ...hinted(wait, POLICY.hintCap) };
    case "refused":
      return { rule: "cool", base_seconds: POLICY.refused.base, ...hinted(wait, POLICY.hintCap) };
    case "server_error":
      return {
        rule: "tolerate",
        base_seconds: POLICY.server.base,
        error_threshold: POLICY.server.errorThreshold,
        window_seconds: POLICY.server.window,
        ...hinted(wait, POLICY.server.hintCap),
      };
    case "unreachable":
    case "intermediary":
    case "caller_fault":
    case "unknown":
      return { rule: "ignore" };
  }
}

const isLimit = (outcome: Outcome) => outcome === "rate_limited" || outcome === "quota_exhausted";

/** Returns whether a limit is of a day or longer, so that waiting some minutes does not help. */
const isLong = ({ window }: Cause) => window === "day" || window === "week" || window === "month";

/** Returns the end of the provider's day, if the limit is for a day and the provider's time zone is known. */
function endOfDay({ window, dayOf }: Cause, now: number): RetryHint {
  return window === "day" && dayOf !== undefined ? { at: nextMidnight(dayOf, now) } : null;
}

const CLOCKS: Readonly<Record<DayOf, Intl.DateTimeFormat>> = {
  UTC: clockOf("UTC"),
  "America/Los_Angeles": clockOf("America/Los_Angeles"),
};

function clockOf(timeZone: DayOf): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "medium", hourCycle: "h23" });
}

/** Returns the next midnight in a zone, in milliseconds since the epoch, even if the zone changes its clocks before then. */
function nextMidnight(zone: DayOf, now: number): number {
  const intoDay = (at: number) => {
    const [hours = 0, minutes = 0, seconds = 0] = CLOCKS[zone].format(at).split(":").map(Number);
    return ((hours * 60 + minutes) * 60 + seconds) * 1000;
  };
  const day = 24 * 60 * 60 * 1000;
  const second = Math.floor(now / 1000) * 1000;
  const near = second + day - intoDay(second);
  const off = intoDay(near);
  return off > day / 2 ? near + day - off : near - off;
}

function escalate(
  backoff: { base: number; cap: number },
  hint: RetryHint,
  random: number,
): TransitionArguments {
  return {
    rule: "escalate",
    base_seconds: backoff.base,
    cap_seconds: backoff.cap,
    jitter: POLICY.jitter * random,
    reset_after_seconds: POLICY.resetAfter,
    ...hinted(hint, POLICY.hintCap),
  };
}

function disable(): TransitionArguments {
  const { maxDisabled, window, base, alertInterval } = POLICY.breaker;
  return {
    rule: "disable",
    base_seconds: base,
    breaker_most: maxDisabled,
    breaker_window_seconds: window,
    breaker_quiet_seconds: alertInterval,
  };
}

function hinted(hint: RetryHint, cap: number): Partial<TransitionArguments> {
  if (hint === null) return {};
  const span =
    "seconds" in hint ? { hint_seconds: hint.seconds } : { hint_at: new Date(hint.at).toISOString() };
  return { ...span, hint_cap_seconds: cap };
}
