import { backoff } from "./reports.ts";
import { isServerFault, mayRotate, rotates, statusOf } from "./rules.ts";
import type { Failure, ReportAnswer, RotationLease } from "./types.ts";

/** The most times that one request is sent, not counting retries after server errors. A larger `attempts` replaces this number. */
export const MOST_CALLS = 8;

/** How much longer a wait for a key may become, as a fraction, so that programs do not all retry at the same moment. */
export const SPREAD = 0.1;

/** The shortest wait for a key at its rate limit, in milliseconds. The service's answers never state a shorter wait either. */
const SHORTEST_WAIT = 1_000;

export interface RotateLimits {
  /** How many keys are tried, not counting keys with the outcome `invalid_key`. With 1, the request is sent with one key only. */
  attempts: number;
  /** The longest total of all waits for the request, in milliseconds. */
  maxWait: number;
  /** How often a request is sent again after a server error or a failed connection. */
  serverErrors: number;
}

/** Decides for one request, after each failure, whether and when it is sent again. */
export class RetryPolicy<L extends RotationLease> {
  readonly #limits: RotateLimits;
  readonly #calls: number;
  /** Numbers of calls whose key was refused or at a limit: all, those without the outcome `invalid_key`, and those at a rate limit. */
  #failed = 0;
  #attempts = 0;
  #limited = 0;
  #serverErrors = 0;
  /** The time at which the rate limit of each key ends, by the id of the key. */
  readonly #readyAt = new Map<string, number>();
  /** For each of the statuses 401 and 403, the last lease whose key was refused with it. */
  readonly #refused = new Map<number, L>();

  constructor(limits: RotateLimits) {
    this.#limits = limits;
    this.#calls = Math.max(MOST_CALLS, limits.attempts);
  }

  /**
   * Returns the report on a failure. When two keys get the same refusal, the request may be the cause, so the report names the other lease.
   */
  reportOn({ keyId }: L, failure: Failure): Failure {
    const other = this.#refused.get(statusOf(failure));
    const sameAnswer = other !== undefined && other.keyId !== keyId;
    return sameAnswer ? { ...failure, same_answer_as: other.leaseId } : failure;
  }

  /** Returns whether the service's answer to the report can lead to another attempt. Only then does the rotation wait for that answer. */
  mayRetry({ last }: L, failure: Failure): boolean {
    if (last === true || failure.error_code === "cancelled") return false;
    return mayRotate(failure)
      ? this.#limits.attempts > 1 && this.#failed + 1 < this.#calls
      : this.#serverErrors < this.#limits.serverErrors;
  }

  /**
   * Returns the milliseconds until the next lease, or null when the failure ends the rotation. `answer` is
   * the service's answer to the report, or null without one; `left` is how long the call may still wait.
   */
  next(
    lease: L,
    failure: Failure,
    answer: ReportAnswer | null,
    { now, random, left }: { now: number; random: number; left: number },
  ): number | null {
    const pause = mayRotate(failure)
      ? this.#afterKey(lease, failure, answer, now) * (1 + SPREAD * random)
      : this.#afterServer(failure, answer, random);
    return pause <= left ? pause : null;
  }

  #afterServer(failure: Failure, answer: ReportAnswer | null, random: number): number {
    if (!isServerFault(failure, answer?.outcome ?? null)) return Number.POSITIVE_INFINITY;
    this.#serverErrors += 1;
    return backoff(this.#serverErrors, random);
  }

  #afterKey(lease: L, failure: Failure, answer: ReportAnswer | null, now: number): number {
    const outcome = answer?.outcome ?? null;
    if (!rotates(failure, outcome)) return Number.POSITIVE_INFINITY;
    const status = statusOf(failure);
    const isRefusal = outcome === "invalid_key" || outcome === "refused";
    if (isRefusal && (status === 401 || status === 403)) this.#refused.set(status, lease);
    this.#failed += 1;
    // `invalid_key` uses up no attempt. If the request is at fault, the second key gets the outcome `caller_fault` (reportOn), which ends
    // the rotation.
    if (outcome !== "invalid_key") this.#attempts += 1;
    if (answer !== null && outcome === "rate_limited") {
      this.#limited += 1;
      this.#readyAt.set(lease.keyId, now + answer.blockedMs);
    }
    if (this.#attempts < this.#limits.attempts) return 0;
    if (this.#limited < this.#attempts) return Number.POSITIVE_INFINITY;
    // Every tried key is at its limit, so wait for the first one that is ready again.
    return Math.max(SHORTEST_WAIT, Math.min(...this.#readyAt.values()) - now);
  }
}
