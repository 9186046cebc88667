/** The answers of get-active-key and set-key-state, as far as the demo reads them. Times are of the database's clock, in UTC. */
export interface LeaseReply {
  key_id: string;
  leased_at: string;
}
export interface ReportReply {
  key_id: string;
  state: "available" | "cooling_down" | "disabled";
  blocked_until: string | null;
}

/** Checks from outside that no key is leased during a block that was answered before the lease was requested. */
export class LeaseChecker {
  /** When an answer arrived, in milliseconds of this process's steady clock, and until when it blocks the key. */
  readonly #blocks: { keyId: string; at: number; until: string }[] = [];

  record({ key_id: keyId, state, blocked_until }: ReportReply, at: number): void {
    const until = state === "disabled" ? "infinity" : blocked_until;
    if (until !== null) this.#blocks.push({ keyId, at, until });
  }

  /** Whether a lease is wrong; its call began at `begunAt`. As texts, Postgres's times sort to the microsecond, and so does infinity. */
  isInvalidLease({ key_id, leased_at }: LeaseReply, begunAt: number): boolean {
    return this.#blocks.some(
      ({ keyId, at, until }) => keyId === key_id && at <= begunAt && leased_at < until,
    );
  }
}
