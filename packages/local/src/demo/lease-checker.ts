/** The members of the answers of get-active-key and set-key-state that the demo reads. Times are of the database's clock, in UTC. */
export interface LeaseReply {
  key_id: string;
  /** The model of the lease; null for any. */
  model?: string | null;
  leased_at: string;
}
export interface ReportReply {
  key_id: string;
  state: "available" | "cooling_down" | "disabled";
  blocked_until: string | null;
  /** `model` when the block is only for the model of the lease. */
  scope?: string | null;
  model?: string | null;
}

/** Checks from the answers alone that no key is leased during a block that an agent knew of before it requested the lease. */
export class LeaseChecker {
  /**
   * The known blocks. `at` is when the answer that told of the block arrived, in milliseconds of the process's monotonic clock; `until` is
   * when the block ends.
   */
  #blocks: { keyId: string; model: string | null; at: number; until: string }[] = [];

  record({ key_id: keyId, state, blocked_until, scope, model }: ReportReply, at: number): void {
    const until = state === "disabled" ? "infinity" : blocked_until;
    const stopped = scope === "model" ? (model ?? null) : null;
    if (until !== null) this.#blocks.push({ keyId, model: stopped, at, until });
  }

  /** Deletes all blocks, because an operator has ended some of them. */
  forget(): void {
    this.#blocks = [];
  }

  /**
   * Returns whether a lease is wrong; its request began at `begunAt`. Postgres's times are compared as texts, which sort correctly to the
   * microsecond; `infinity` sorts after all of them.
   */
  isInvalidLease({ key_id, leased_at, model: wanted = null }: LeaseReply, begunAt: number): boolean {
    return this.#blocks.some(
      ({ keyId, model, at, until }) =>
        keyId === key_id && (model === null || model === wanted) && at <= begunAt && leased_at < until,
    );
  }
}
