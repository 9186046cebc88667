/** The answer of get-active-key, as far as the demo reads it. */
export interface LeaseReply {
  lease_id: string;
  key_id: string;
  key_name: string;
  api_key: string;
  /** The database's clock, ISO 8601 with microseconds. */
  leased_at: string;
}

/** The answer of set-key-state. */
export interface ReportReply {
  key_id: string;
  state: "available" | "cooling_down" | "disabled";
  blocked_until: string | null;
  effect: string;
}

/**
 * Checks from outside for the two things that must not happen. First: a key is leased during a cooldown that was answered before
 * the lease was requested; both times come from the database's clock. Second: a key is disabled that the provider has not
 * revoked.
 */
export class InvariantChecker {
  /** By key: when an answer arrived, in milliseconds of this process's steady clock, and until when it blocks, in the database's. */
  readonly #cooldowns = new Map<string, { at: number; until: number }[]>();
  readonly #isRevoked: (keyId: string) => boolean;

  /** `isRevoked` asks the provider. */
  constructor(isRevoked: (keyId: string) => boolean) {
    this.#isRevoked = isRevoked;
  }

  /** Records an answer of set-key-state that arrived at `at`. */
  record({ key_id, state, blocked_until }: ReportReply, at: number): void {
    const until = state === "disabled" ? Number.POSITIVE_INFINITY : toMicros(blocked_until);
    if (until !== null) this.#cooldowns.set(key_id, [...(this.#cooldowns.get(key_id) ?? []), { at, until }]);
  }

  /** Whether an answer says that a good key is disabled. */
  isGoodKeyLost({ state, key_id }: ReportReply): boolean {
    return state === "disabled" && !this.#isRevoked(key_id);
  }

  /** Whether a lease is wrong; its call began at `begunAt`. */
  isInvalidLease({ key_id, leased_at }: LeaseReply, begunAt: number): boolean {
    const leasedAt = toMicros(leased_at) ?? Number.NaN;
    return (this.#cooldowns.get(key_id) ?? []).some(({ at, until }) => at <= begunAt && leasedAt < until);
  }
}

/** Microseconds since the epoch of an ISO 8601 text: Date alone would cut Postgres's digits to milliseconds. */
export function toMicros(iso: string | null): number | null {
  if (iso === null) return null;
  const fraction = /\.(\d+)/.exec(iso)?.[1] ?? "";
  return Math.floor(Date.parse(iso) / 1000) * 1_000_000 + Number(fraction.padEnd(6, "0").slice(0, 6));
}
