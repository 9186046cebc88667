import { RetryPolicy, type RotateLimits } from "./retry-policy.ts";
import { mayRotate, rotates } from "./rules.ts";
import {
  type Budget,
  CANCELLED,
  type Failure,
  type Leased,
  type Report,
  type ReportAnswer,
  type Wait,
} from "./types.ts";

/** The result of sending the request once. */
export interface Attempt {
  /** Null for a success; a success is reported when its body has been read to the end. */
  failure: Failure | null;
  /** Cancels the unread rest, when another answer replaces this one. */
  discard(): void;
}

export interface RotatePorts<L extends Leased, A extends Attempt> {
  /** A key, or an error that says why there is none. */
  lease(want: LeaseOptions): Promise<L>;
  /** Sends the request with the key. An error comes from the network, the caller or one of our limits. */
  send(lease: L, attempt: number): Promise<A>;
  /** Reports on a lease; resolves with the service's answer, or null when the first attempt got none. Never rejects. */
  report(lease: L, report: Report): Promise<ReportAnswer | null>;
  /** The report for an error of `send`. */
  reportOf(error: unknown): Failure;
  wait: Wait;
  /** Milliseconds of a clock that only goes forward. */
  now(): number;
  /** In [0, 1). */
  random(): number;
  /** The request waits before it is sent again. */
  onWait?(ms: number): void;
  /** An answer is discarded because the request is sent again. */
  onRotate?(lease: L, failure: Failure, attempt: number): void;
}

export interface LeaseOptions {
  /** Ids of keys that were tried for this request. */
  exclude: string[];
  budget: Budget;
  signal: AbortSignal | undefined;
}

export interface Rotated<L, A> {
  lease: L;
  answer: A;
  attempts: number;
  /** The failure was about the key or its limit, or it may have been and more than one key was tried: the caller should not retry. */
  exhausted: boolean;
}

/** A call that failed, while another key is looked for. */
interface Failed<L, A> {
  /** Ends the rotation with it: gives its answer, or throws its error. */
  end(exhausted: boolean): Rotated<L, A>;
  discard(): void;
  /** It is replaced by another call. */
  replace(): void;
}

/**
 * Sends a request with one key after another, until one serves it or another key would not help. Each lease is reported once. The
 * caller gets the last answer, good or bad. After a failure, the next lease waits for the first answer to the report, so that the
 * same key is not leased again.
 */
export async function rotate<L extends Leased, A extends Attempt>(
  ports: RotatePorts<L, A>,
  limits: RotateLimits,
  signal?: AbortSignal,
): Promise<Rotated<L, A>> {
  const budget: Budget = { left: limits.maxWait, waits: 0 };
  const policy = new RetryPolicy<L>(limits);
  /** By key that failed: how often the call had waited then. */
  const failedAt = new Map<string, number>();
  let last: Failed<L, A> | null = null;

  for (let attempt = 1; ; attempt += 1) {
    let lease: L;
    try {
      lease = await ports.lease({ exclude: [...failedAt.keys()].slice(-16), budget, signal });
    } catch (error) {
      // Without another key, the provider's answer is the most useful one.
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
    // Whether to retry a 5xx is the caller's decision, also after a rotation.
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

/** The promise's value, or the signal's reason when that comes first; then `abandon` is called. */
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
