import { type RotatePorts, waitBy } from "@keyhub/core/rotate";
import type { Settings } from "./options.ts";

/** Returns the milliseconds of a monotonic clock. */
export const now = (): number => performance.now();

export const wait = waitBy({
  setTimeout: (call, ms) => setTimeout(call, ms),
  clearTimeout: (timer) => clearTimeout(timer),
});

/** Returns the clock and the waits for a rotation. */
export function timing(
  provider: string,
  { emit }: Settings,
): Pick<RotatePorts<never, never>, "wait" | "now" | "random" | "onWait"> {
  return { wait, now, random: Math.random, onWait: (ms) => emit({ type: "wait", provider, ms }) };
}
