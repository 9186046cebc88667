import { RetryPolicy, type RotateLimits } from "./retry-policy.ts";
import { mayRotate, rotates } from "./rules.ts";
import {
  CANCELLED,
  type Failure,
  type Report,
  type ReportAnswer,
  type RotationLease,
  type Sleep,
  type WaitBudget,
} from "./types.ts";

/** The result of sending the request once. */
export interface Attempt {
  /** Null for a success, which is reported when its body has been read to the end. */
  failure: Failure | null;
  /** Cancels the unread rest of the body when another answer replaces this one. */
  discard(): void;
}

export interface RotatePorts<L extends RotationLease, A extends Attempt> {
  /** Leases a key. Rejects with an error that explains why no key can be leased. */
  lease(want: LeaseOptions): Promise<L>;
  /** Sends the request with the key. Rejects when the network fails, the caller aborts, or one of our limits ends the call. */
  send(lease: L, attempt: number): Promise<A>;
  /** Reports on a lease; resolves with the service's answer, or null when the first attempt got none. Never rejects. */
  report(lease: L, report: Report): Promise<ReportAnswer | null>;
  /** Returns the report for an error of `send`. */
  reportOf(error: unknown): Failure;
  wait: Sleep;
  /** Returns the milliseconds of a monotonic clock. */
  now(): number;
  /** Returns a number in [0, 1). */
  random(): number;
  /** Called when the request waits before it is sent again. */
  onWait?(ms: number): void;
  /** Called when an answer is discarded because the request is sent again. */
  onRotate?(lease: L, failure: Failure, attempt: number): void;
}

export interface LeaseOptions {
  /** The ids of keys that were already tried for this request. */
  exclude: string[];
  budget: WaitBudget;
  signal: AbortSignal | undefined;
}

export interface Rotated<L, A> {
  lease: L;
  answer: A;
  attempts: number;
  /** The caller should not retry: the failure is about the key or its limit (or, from the second call on, may be about it). */
  exhausted: boolean;
}

/** A call that failed, kept while the rotation looks for another key. */
interface Failed<L, A> {
  /** Ends the rotation with this call: returns its answer or throws its error. */
  end(exhausted: boolean): Rotated<L, A>;
  discard(): void;
  /** Discards the call because another one replaces it. */
  replace(): void;
}

/**
 * Sends a request with one key after another, until the request succeeds or another key would not help. Each lease is reported once. The
 * caller gets the last answer, good or bad. After a failure, the next lease waits until the first attempt to report has ended, so that the
 * same key is not leased again.
 */
export async function rotate<L extends RotationLease, A extends Attempt>(
  ports: RotatePorts<L, A>,
  limits: RotateLimits,
  signal?: AbortSignal,
): Promise<Rotated<L, A>> {
  const budget: WaitBudget = { left: limits.maxWait, waits: 0 };
  const policy = new RetryPolicy<L>(limits);
  /** The value of `budget.waits` when a key failed, by key id. A key that is leased again at the same value had no time to recover. */
  const failedAt = new Map<string, number>();
  let last: Failed<L, A> | null = null;

  for (let attempt = 1; ; attempt += 1) {
    let lease: L;
    try {
      lease = await ports.lease({ exclude: [...failedAt.keys()].slice(-16), budget, signal });
    } catch (error) {
      // If there is no other key, the provider's last answer is more useful to the caller than this error.
      if (last !== null && !signal?.aborted) return last.end(true);
      last?.discard();
      throw error;
    }
    const again = failedAt.get(lease.keyId) === budget.waits;
    if (signal?.aborted || again) {
      void ports.report(lease, CANCELLED);
      if (last !== null && !signal?.aborted) return last.end(true);
      last?.discard();
      throw signal?.reason;
    }
    last?.replace();

    let answer: A | null = null;
    let thrown: unknown;
    try {
      answer = await ports.send(lease, attempt);
    } catch (error) {
      thrown = error;
    }
    const end = (exhausted: boolean): Rotated<L, A> => {
      if (answer === null) throw thrown;
      return { lease, answer, attempts: attempt, exhausted };
    };
    const failure = answer === null ? ports.reportOf(thrown) : answer.failure;
    if (failure === null) return end(false);

    const discard = () => answer?.discard();
    const reported = ports.report(lease, policy.reportOn(lease, failure));
    let told: ReportAnswer | null = null;
    let pause: number | null = null;
    if (policy.mayRetry(lease, failure)) {
      told = await unlessAborted(reported, signal, discard);
      const state = { now: ports.now(), random: ports.random(), left: budget.left };
      pause = policy.next(lease, failure, told, state);
    }
    // For a 5xx, `exhausted` is false even after a rotation: the caller decides whether to retry.
    if (pause === null)
      return end(mayRotate(failure) && (attempt > 1 || rotates(failure, told?.outcome ?? null)));
    if (mayRotate(failure)) failedAt.set(lease.keyId, budget.waits);
    if (pause > 0) {
      ports.onWait?.(Math.ceil(pause));
      await unlessAborted(ports.wait(pause, signal), signal, discard);
      budget.left = Math.max(0, budget.left - pause);
      budget.waits += 1;
    }
    const replace = () => {
      ports.onRotate?.(lease, failure, attempt);
      discard();
    };
    last = { end, discard, replace };
  }
}

/** Returns the promise's value. If the signal aborts first, calls `abandon` and throws the signal's reason. */
export function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  abandon: () => void = () => {},
): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => {
      abandon();
      reject(signal.reason);
    };
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
