import { waitBy } from "@keyhub/core/rotate";

/** Milliseconds of a clock that only goes forward. */
export const now = (): number => performance.now();

export const wait = waitBy({
  setTimeout: (call, ms) => setTimeout(call, ms),
  clearTimeout: (timer) => clearTimeout(timer),
});
