import { backoff } from "./reports.ts";
import { SPREAD } from "./retry-policy.ts";
import { type LeaseOptions, unlessAborted } from "./rotate.ts";
import type { Sleep } from "./types.ts";

/** The service's answer to a request for a key. */
export type LeaseAttempt<L> =
  | { kind: "leased"; lease: L }
  /** A key is ready after `seconds`. `error` makes the error for callers that cannot wait that long. */
  | { kind: "cooling"; seconds: number; error: (seconds: number) => Error }
  /** Asking again does not help. */
  | { kind: "none"; error: Error }
  /** The service did not answer, or answered that it cannot work at the moment. */
  | { kind: "failed"; error: Error };

export interface LeasePorts<L> {
  ask(exclude: string[]): Promise<LeaseAttempt<L>>;
  /** Called with a key that arrived after its caller had aborted. */
  late(lease: L): void;
  wait: Sleep;
  /** Returns a number in [0, 1). */
  random(): number;
  /** Returns the milliseconds of a monotonic clock. */
  now(): number;
  onWait?(ms: number): void;
}

/** How often the service is asked if it does not answer. */
const TRIES = 5;

interface QueueEntry {
  wake: () => void;
}

/** The queues of all callers. Callers that give the same `name` share a queue, which exists as long as one of them uses it. */
export class LeaseQueues<L> {
  readonly #queues = new Map<string, { queue: LeaseQueue<L>; callers: number }>();

  async lease(name: string, want: LeaseOptions, ports: () => LeasePorts<L>): Promise<L> {
    const used = this.#queues.get(name) ?? { queue: new LeaseQueue(ports()), callers: 0 };
    this.#queues.set(name, used);
    used.callers += 1;
    try {
      return await used.queue.lease(want);
    } finally {
      used.callers -= 1;
      if (used.callers === 0) this.#queues.delete(name);
    }
  }
}

/**
 * The callers that want a key of one provider, or of one model of it. While keys are ready, each caller asks for itself. When all keys are
 * cooling, the callers queue, and only the first one asks when the wait is over. Each leased key allows one more caller to ask at the same
 * time, so the queue empties fast when keys are ready again. If they are not, only one request was sent.
 */
export class LeaseQueue<L> {
  readonly #ports: LeasePorts<L>;
  readonly #places: QueueEntry[] = [];
  /** How many callers of the queue are asking now, and how many may ask at the same time. */
  #asking = 0;
  #allowed = 1;
  /** The time at which a key is ready according to the service, and the time at which the first caller asks: a little later, at random. */
  #readyAt = 0;
  #wakeAt = 0;
  #tooLong: (seconds: number) => Error = () => new Error("no key");

  constructor(ports: LeasePorts<L>) {
    this.#ports = ports;
  }

  async lease(want: LeaseOptions): Promise<L> {
    want.signal?.throwIfAborted();
    // A caller that cannot wait asks at once, and so does a caller that finds the queue empty.
    if (want.budget.left <= 0 || (this.#places.length === 0 && this.#asking === 0)) {
      const asked = await this.#ask(want);
      if (asked.kind === "leased") return asked.lease;
      this.#cool(asked);
    }
    for (;;) {
      await this.#turn(want);
      let cooling: (LeaseAttempt<L> & { kind: "cooling" }) | null = null;
      this.#asking += 1;
      try {
        const asked = await this.#ask(want);
        if (asked.kind === "leased") {
          this.#allowed += 1;
          return asked.lease;
        }
        cooling = asked;
      } finally {
        this.#asking -= 1;
        if (cooling !== null) this.#cool(cooling);
        this.#wakeAll();
      }
    }
  }

  /** Waits for this caller's turn to ask; throws when the turn comes later than the caller can wait. */
  async #turn({ budget, signal }: LeaseOptions): Promise<void> {
    const place: QueueEntry = { wake: () => {} };
    this.#places.push(place);
    let notified = false;
    try {
      for (;;) {
        const now = this.#ports.now();
        const deadline = now + budget.left;
        const first = this.#places[0] === place && this.#asking < this.#allowed;
        if (this.#readyAt > deadline || (!first && budget.left <= 0)) {
          throw this.#tooLong(Math.max(1, Math.ceil((this.#readyAt - now) / 1000)));
        }
        const until = first ? Math.min(this.#wakeAt, deadline) : deadline;
        if (first && now >= until) return;
        if (!notified) this.#ports.onWait?.(Math.ceil(Math.max(this.#wakeAt, now) - now));
        notified = true;
        await this.#pause(until - now, place, signal);
        budget.waits += 1;
        // The wait may end late, so the budget must not become negative.
        budget.left = Math.max(0, deadline - this.#ports.now());
      }
    } finally {
      this.#places.splice(this.#places.indexOf(place), 1);
      this.#wakeAll();
    }
  }

  /** Waits until the time is over, the caller aborts, or the state of the queue changes. */
  async #pause(ms: number, place: QueueEntry, signal: AbortSignal | undefined): Promise<void> {
    const woken = new AbortController();
    place.wake = () => woken.abort();
    const either = signal === undefined ? woken.signal : AbortSignal.any([signal, woken.signal]);
    await this.#ports.wait(ms, either).catch(() => {});
    place.wake = () => {};
    signal?.throwIfAborted();
  }

  #wakeAll(): void {
    if (this.#places.length === 0 && this.#asking === 0) this.#allowed = 1;
    for (const { wake } of this.#places) wake();
  }

  #cool({ seconds, error }: LeaseAttempt<L> & { kind: "cooling" }): void {
    const now = this.#ports.now();
    this.#readyAt = now + seconds * 1000;
    this.#wakeAt = now + seconds * 1000 * (1 + SPREAD * this.#ports.random());
    this.#allowed = 1;
    this.#tooLong = error;
  }

  /** Returns a lease, or how long all keys cool. If the service fails, asks again within the time that the caller can wait. */
  async #ask({
    exclude,
    budget,
    signal,
  }: LeaseOptions): Promise<LeaseAttempt<L> & { kind: "leased" | "cooling" }> {
    for (let attempt = 1; ; attempt += 1) {
      const started = this.#ports.now();
      const asking = this.#ports.ask(exclude);
      const asked = await unlessAborted(asking, signal).catch((error: unknown) => {
        // The caller has aborted, so a key that arrives later goes to `late`.
        asking.then((late) => late.kind === "leased" && this.#ports.late(late.lease)).catch(() => {});
        throw error;
      });
      if (asked.kind === "leased" || asked.kind === "cooling") return asked;
      if (asked.kind === "none" || attempt >= TRIES) throw asked.error;
      const pause = backoff(attempt, this.#ports.random());
      const left = budget.left - (this.#ports.now() - started) - pause;
      if (left < 0) throw asked.error;
      await this.#ports.wait(pause, signal);
      budget.left = left;
    }
  }
}
