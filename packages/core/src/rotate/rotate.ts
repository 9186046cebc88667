import { mayRotate, rotates, statusOf } from "./rules.ts";
import { type Budget, CANCELLED, type Failure, type Leased, type Outcome, type Told } from "./types.ts";

/** What came of one sending. */
export interface Answer {
  /** Null for a success; a success is reported when its body has been read to the end. */
  failure: Failure | null;
  /** Gives up what is still to be read, when another answer takes its place. */
  discard(): void;
}

export interface RotatePorts<L extends Leased, A extends Answer> {
  /** A key, or an error that says why there is none. */
  lease(want: Want): Promise<L>;
  /** Sends the request with the key. An error comes from the network, the caller or one of our limits. */
  send(lease: L, attempt: number): Promise<A>;
  /** Reports what came of a lease; resolves with the service's reading, or null where none came at once. Never rejects. */
  report(lease: L, told: Told): Promise<Outcome | null>;
  /** What an error of `send` says. */
  toldOf(error: unknown): Failure;
  /** An answer is passed over, for another key is tried. */
  onRotate?(lease: L, failure: Failure, attempt: number): void;
}

export interface Want {
  /** Ids of keys that were tried for this request. */
  exclude: string[];
  budget: Budget;
  signal: AbortSignal | undefined;
}

export interface RotateLimits {
  /** So often the request is sent at most. 1 where its body cannot be sent twice. */
  attempts: number;
  /** Longest time, in milliseconds, that is waited for a key, all waits together. */
  maxWait: number;
}

export interface Rotated<L, A> {
  lease: L;
  answer: A;
  attempts: number;
  /** The failure was the key's or the limit's, or could have been and more than one key was tried: sending it again is not for the caller. */
  exhausted: boolean;
}

/**
 * Sends a request with one key after another, until one serves it or another would not help. Each lease is reported once; the
 * last answer is the caller's, whatever it is. The report of a failure is awaited up to its first answer before the next lease,
 * so that the same key does not come again.
 */
export async function rotate<L extends Leased, A extends Answer>(
  ports: RotatePorts<L, A>,
  limits: RotateLimits,
  signal?: AbortSignal,
): Promise<Rotated<L, A>> {
  const budget: Budget = { left: limits.maxWait, waits: 0 };
  const tried = new Set<string>();
  /** By status: the key that was refused with it. */
  const refused = new Map<number, string>();
  let last: { lease: L; answer: A; failure: Failure } | null = null;

  for (let attempt = 1; ; attempt += 1) {
    const { waits } = budget;
    let lease: L;
    try {
      lease = await ports.lease({ exclude: [...tried].slice(-16), budget, signal });
    } catch (error) {
      // Without another key, what the provider said is the best there is to say.
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
      void ports.report(lease, ports.toldOf(error));
      throw error;
    }
    const { failure } = answer;
    if (failure === null) return { lease, answer, attempts: attempt, exhausted: false };

    const reported = ports.report(lease, failure);
    tried.add(lease.keyId);
    const status = statusOf(failure);
    const other = refused.get(status);
    // Two keys that are refused alike: it is not the keys.
    const twice = (status === 401 || status === 403) && other !== undefined && other !== lease.keyId;
    refused.set(status, lease.keyId);
    const ends = lease.last === true || twice || attempt >= limits.attempts;
    if (ends || !mayRotate(failure)) {
      // A 5xx after a rotation is for the caller's own policy, as any other.
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
