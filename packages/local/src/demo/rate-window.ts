/** How many calls a key may make in a span of milliseconds, as a provider's plan says. */
export interface RatePlan {
  calls: number;
  windowMs: number;
}

/**
 * A window of one key, which opens with the first call. Returns a function that takes a call at a moment, in milliseconds of a clock that
 * only goes forward. It answers null, or the whole seconds until the window is over, at least 1, as Retry-After says it.
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
