import { type RotatePorts, waitBy } from "@keyhub/core/rotate";
import type { Settings } from "./options.ts";

/** Milliseconds of a clock that only goes forward. */
export const now = (): number => performance.now();

export const wait = waitBy({
  setTimeout: (call, ms) => setTimeout(call, ms),
  clearTimeout: (timer) => clearTimeout(timer),
});

/** The clock and the waits of a rotation. */
export function timing(
  provider: string,
  { emit }: Settings,
): Pick<RotatePorts<never, never>, "wait" | "now" | "random" | "onWait"> {
  return { wait, now, random: Math.random, onWait: (ms) => emit({ type: "wait", provider, ms }) };
}
