import type { Reports } from "./reports.ts";
import type { LeaseOptions } from "./rotate.ts";
import { type Failure, type Outcome, type Report, SUCCESS } from "./types.ts";

export interface ReuseLimits {
  /** For how many milliseconds and for how many requests a lease is used. */
  forMs: number;
  uses: number;
}

interface Shared<L> {
  lease: L;
  until: number;
  left: number;
  open: number;
  succeeded: boolean;
  /** No further request uses it. */
  retired: boolean;
  /** Its only report, if that was a failure. */
  failure: Failure | null;
  /** The service's outcome of its only report, when it has arrived. */
  reported: Promise<Outcome | null> | null;
}

/**
 * One lease that serves several requests in a row of one process. Its one report is the first failure, or a success when it is
 * used up and all of its requests have ended.
 */
export class Reuse<L extends { keyId: string; last?: boolean }> {
  readonly #reports: Reports<L>;
  readonly #limits: ReuseLimits;
  readonly #now: () => number;
  /** By use; null after that use has ended. */
  readonly #shared = new WeakMap<L, Shared<L> | null>();
  #current: Shared<L> | null = null;

  constructor(reports: Reports<L>, limits: ReuseLimits, now: () => number) {
    this.#reports = reports;
    this.#limits = limits;
    this.#now = now;
  }

  /** A use of the shared lease, or of a new one. `copy` makes an object of its own for each use. */
  async lease(
    want: LeaseOptions,
    take: (want: LeaseOptions) => Promise<L>,
    copy: (lease: L) => L,
  ): Promise<L> {
    const current = this.#current;
    if (current !== null && !this.#isOver(current) && !want.exclude.includes(current.lease.keyId))
      return this.#use(current, copy);
    const lease = await take(want);
    if (lease.last === true) return lease;
    const shared: Shared<L> = {
      lease,
      until: this.#now() + this.#limits.forMs,
      left: this.#limits.uses,
      open: 0,
      succeeded: false,
      retired: false,
      failure: null,
      reported: null,
    };
    if (this.#current !== null) this.#retire(this.#current);
    this.#current = shared;
    return this.#use(shared, copy);
  }

  report(use: L, report: Report): Promise<Outcome | null> {
    const shared = this.#shared.get(use);
    if (shared === undefined) return this.#reports.report(use, report);
    if (shared === null) return Promise.resolve(null);
    this.#shared.set(use, null);
    shared.open -= 1;
    const cancelled = report.status === "fail" && report.error_code === "cancelled";
    if (report.status === "fail" && !cancelled) {
      shared.retired = true;
      if (shared.reported === null) {
        shared.failure = report;
        shared.reported = this.#reports.report(shared.lease, report);
      }
      // The outcome of another failure does not apply to this one.
      const same =
        shared.failure?.error_code === report.error_code &&
        shared.failure.error_message === report.error_message;
      return same ? shared.reported : Promise.resolve(null);
    }
    shared.succeeded ||= !cancelled;
    if (this.#isOver(shared)) this.#retire(shared);
    return Promise.resolve(null);
  }

  /** Uses the current lease for no further request, so that it is reported when its requests have ended. */
  retire(): void {
    if (this.#current !== null) this.#retire(this.#current);
    this.#current = null;
  }

  #use(shared: Shared<L>, copy: (lease: L) => L): L {
    shared.left -= 1;
    shared.open += 1;
    const use = copy(shared.lease);
    this.#shared.set(use, shared);
    return use;
  }

  #isOver(shared: Shared<L>): boolean {
    return shared.retired || shared.left <= 0 || this.#now() >= shared.until;
  }

  #retire(shared: Shared<L>): void {
    shared.retired = true;
    if (shared.open === 0 && shared.succeeded)
      shared.reported ??= this.#reports.report(shared.lease, SUCCESS);
  }
}
