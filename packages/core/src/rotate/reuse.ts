import type { Reports } from "./reports.ts";
import type { LeaseOptions } from "./rotate.ts";
import { type Failure, type Report, type ReportAnswer, SUCCESS } from "./types.ts";

export interface ReuseLimits {
  /** How long (in milliseconds) and for how many requests a lease is used. */
  forMs: number;
  uses: number;
}

interface Shared<L> {
  lease: L;
  until: number;
  left: number;
  open: number;
  succeeded: boolean;
  /** No new request may use the lease. */
  retired: boolean;
  /** The report on the lease, if it was a failure. */
  failure: Failure | null;
  /** The service's answer to the report, once it has arrived. */
  reported: Promise<ReportAnswer | null> | null;
}

/**
 * Shares each lease among several consecutive requests of one process. A lease is reported once: its
 * first failure, or a success when the lease is used up and all of its requests have ended.
 */
export class Reuse<L extends { keyId: string; last?: boolean }> {
  readonly #reports: Reports<L>;
  readonly #limits: ReuseLimits;
  readonly #now: () => number;
  /** The shared lease behind each copy that a request uses; null after the request was reported. */
  readonly #shared = new WeakMap<L, Shared<L> | null>();
  /** The lease that new requests share, by the `name` given to `lease`. */
  readonly #current = new Map<string, Shared<L>>();

  constructor(reports: Reports<L>, limits: ReuseLimits, now: () => number) {
    this.#reports = reports;
    this.#limits = limits;
    this.#now = now;
  }

  /** Returns a copy of the lease that requests with this name share, or of a new lease. Each request is reported on its own copy. */
  async lease(
    name: string,
    want: LeaseOptions,
    take: (want: LeaseOptions) => Promise<L>,
    copy: (lease: L) => L,
  ): Promise<L> {
    for (const [other, shared] of this.#current) if (this.#isOver(shared)) this.#end(other);
    const current = this.#current.get(name);
    if (current !== undefined && !want.exclude.includes(current.lease.keyId)) return this.#use(current, copy);
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
    this.#end(name);
    this.#current.set(name, shared);
    return this.#use(shared, copy);
  }

  report(use: L, report: Report): Promise<ReportAnswer | null> {
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
      // The service's answer to a different failure does not apply to this one.
      const same =
        shared.failure?.error_code === report.error_code &&
        shared.failure.error_message === report.error_message;
      return same ? shared.reported : Promise.resolve(null);
    }
    shared.succeeded ||= !cancelled;
    if (this.#isOver(shared)) this.#retire(shared);
    return Promise.resolve(null);
  }

  /** Stops using the current leases for new requests, so that each lease is reported when its requests have ended. */
  retire(): void {
    for (const name of this.#current.keys()) this.#end(name);
  }

  #end(name: string): void {
    const shared = this.#current.get(name);
    if (shared !== undefined) this.#retire(shared);
    this.#current.delete(name);
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
