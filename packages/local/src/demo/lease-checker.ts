/** The answers of get-active-key and set-key-state, as far as the demo reads them. Times are of the database's clock, in UTC. */
export interface LeaseReply {
  key_id: string;
  /** What the key is for; null: for any. */
  model?: string | null;
  leased_at: string;
}
export interface ReportReply {
  key_id: string;
  state: "available" | "cooling_down" | "disabled";
  blocked_until: string | null;
  /** Of a limit that stops this model alone. */
  scope?: string | null;
  model?: string | null;
}

/** Checks from outside that no key is leased during a block that was answered before the lease was requested. */
export class LeaseChecker {
  /** When an answer arrived, in milliseconds of this process's steady clock, and until when it blocks the key. */
  #blocks: { keyId: string; model: string | null; at: number; until: string }[] = [];

  record({ key_id: keyId, state, blocked_until, scope, model }: ReportReply, at: number): void {
    const until = state === "disabled" ? "infinity" : blocked_until;
    const stopped = scope === "model" ? (model ?? null) : null;
    if (until !== null) this.#blocks.push({ keyId, model: stopped, at, until });
  }

  /** An operator has ended blocks: what was answered before says nothing any more. */
  forget(): void {
    this.#blocks = [];
  }

  /** Whether a lease is wrong; its call began at `begunAt`. As texts, Postgres's times sort to the microsecond, and so does infinity. */
  isInvalidLease({ key_id, leased_at, model: wanted = null }: LeaseReply, begunAt: number): boolean {
    return this.#blocks.some(
      ({ keyId, model, at, until }) =>
        keyId === key_id && (model === null || model === wanted) && at <= begunAt && leased_at < until,
    );
  }
}
