/** The number of calls that a key may make in a span of milliseconds, by its plan. */
export interface RatePlan {
  calls: number;
  windowMs: number;
}

/**
 * Makes the rate limit of one key: a window of time that opens with the first call. Returns a function that counts a call at `now`, in
 * milliseconds of a monotonic clock. That function returns null when the call is allowed, else the whole seconds until the window is over
 * (at least 1), as in Retry-After.
 */
export function createRateWindow({ calls, windowMs }: RatePlan): (now: number) => number | null {
  let openedAt = Number.NEGATIVE_INFINITY;
  let taken = 0;
  return (now) => {
    if (now >= openedAt + windowMs) {
      openedAt = now;
      taken = 0;
    }
    if (taken >= calls) return Math.max(1, Math.ceil((openedAt + windowMs - now) / 1000));
    taken += 1;
    return null;
  };
}
