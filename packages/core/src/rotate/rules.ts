import type { Failure, Outcome } from "./types.ts";

/** Statuses that are about the key or its limit, unless the service's outcome says otherwise. */
const OF_THE_KEY: ReadonlySet<number> = new Set([401, 402, 403, 429]);

/** Statuses that only the body can explain: some providers answer 400 for an empty account or a dead key. */
const MAYBE_OF_THE_KEY: ReadonlySet<number> = new Set([400, 422]);

const OTHER_KEY_HELPS: ReadonlySet<Outcome> = new Set([
  "rate_limited",
  "quota_exhausted",
  "invalid_key",
  "refused",
]);
const OTHER_KEY_IS_NO_HELP: ReadonlySet<Outcome> = new Set([
  "caller_fault",
  "intermediary",
  "unreachable",
  "success",
]);

/** Returns the status of a failure, or 0 if it has none. */
export function statusOf({ error_code }: Failure): number {
  return typeof error_code === "number" ? error_code : 0;
}

/** Returns whether a failure can be about the key or its limit. */
export function mayRotate(failure: Failure): boolean {
  const status = statusOf(failure);
  return OF_THE_KEY.has(status) || MAYBE_OF_THE_KEY.has(status);
}

/**
 * Returns whether another key may serve the same request. The service's outcome decides, or the status if the outcome is missing or in
 * neither set above. A 5xx or a lost connection is not the key's fault, and the provider may already have done the work.
 */
export function rotates(failure: Failure, outcome: Outcome | null): boolean {
  if (!mayRotate(failure)) return false;
  if (outcome !== null && OTHER_KEY_HELPS.has(outcome)) return true;
  if (outcome !== null && OTHER_KEY_IS_NO_HELP.has(outcome)) return false;
  return OF_THE_KEY.has(statusOf(failure));
}

/** Returns whether the provider, or the connection to it, failed. Then the request may be sent again if its sender allows that. */
export function isServerFault(failure: Failure, outcome: Outcome | null): boolean {
  return statusOf(failure) >= 500 || outcome === "server_error" || outcome === "unreachable";
}
