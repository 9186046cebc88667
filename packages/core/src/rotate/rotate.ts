import { mayRotate, rotates, statusOf } from "./rules.ts";
import { type Budget, CANCELLED, type Failure, type Leased, type Outcome, type Report } from "./types.ts";

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
  /** Reports on a lease; resolves with the service's outcome, or null when the first attempt got none. Never rejects. */
  report(lease: L, report: Report): Promise<Outcome | null>;
  /** The report for an error of `send`. */
  reportOf(error: unknown): Failure;
  /** An answer is discarded because another key is tried. */
  onRotate?(lease: L, failure: Failure, attempt: number): void;
}

export interface LeaseOptions {
  /** Ids of keys that were tried for this request. */
  exclude: string[];
  budget: Budget;
  signal: AbortSignal | undefined;
}

export interface RotateLimits {
  /** How often the request is sent at most; 1 when its body cannot be sent twice. */
  attempts: number;
  /** The longest wait for keys, all waits together, in milliseconds. */
  maxWait: number;
}

export interface Rotated<L, A> {
  lease: L;
  answer: A;
  attempts: number;
  /** The failure was about the key or its limit, or it may have been and more than one key was tried: the caller should not retry. */
  exhausted: boolean;
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
  const tried = new Set<string>();
  /** By status: the key that was refused with this status. */
  const refused = new Map<number, string>();
  let last: { lease: L; answer: A; failure: Failure } | null = null;

  for (let attempt = 1; ; attempt += 1) {
    const { waits } = budget;
    let lease: L;
    try {
      lease = await ports.lease({ exclude: [...tried].slice(-16), budget, signal });
    } catch (error) {
      // Without another key, the provider's answer is the most useful one.
      if (last === null || signal?.aborted) {
        last?.answer.discard();
        throw error;
      }
      return { lease: last.lease, answer: last.answer, attempts: attempt - 1, exhausted: true };
    }
    const again = tried.has(lease.keyId) && budget.waits === waits;
    if (signal?.aborted || again) {
      void ports.report(lease, CANCELLED);
      if (last !== null && !signal?.aborted)
        return { lease: last.lease, answer: last.answer, attempts: attempt - 1, exhausted: true };
      last?.answer.discard();
      throw signal?.reason;
    }
    if (last !== null) {
      ports.onRotate?.(last.lease, last.failure, attempt - 1);
      last.answer.discard();
    }

    let answer: A;
    try {
      answer = await ports.send(lease, attempt);
    } catch (error) {
      void ports.report(lease, ports.reportOf(error));
      throw error;
    }
    const { failure } = answer;
    if (failure === null) return { lease, answer, attempts: attempt, exhausted: false };

    const reported = ports.report(lease, failure);
    tried.add(lease.keyId);
    const status = statusOf(failure);
    const other = refused.get(status);
    // Two keys are refused with the same status: the keys are not the cause.
    const twice = (status === 401 || status === 403) && other !== undefined && other !== lease.keyId;
    refused.set(status, lease.keyId);
    const ends = lease.last === true || twice || attempt >= limits.attempts;
    if (ends || !mayRotate(failure)) {
      // Whether to retry a 5xx is the caller's decision, also after a rotation.
      const exhausted = mayRotate(failure) && (attempt > 1 || rotates(failure, null));
      return { lease, answer, attempts: attempt, exhausted };
    }
    const outcome = await unlessAborted(reported, signal).catch((error: unknown) => {
      answer.discard();
      throw error;
    });
    if (!rotates(failure, outcome)) return { lease, answer, attempts: attempt, exhausted: attempt > 1 };
    last = { lease, answer, failure };
  }
}

/** The promise's value, or the signal's reason when that comes first. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
