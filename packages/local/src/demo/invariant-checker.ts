import type { Lease, Reported } from "./keyhub.ts";

/** A cooldown that an answer has reported. */
interface ReportedCooldown {
  /** When the answer had arrived, in milliseconds of this process's steady clock. */
  at: number;
  /** End of the cooldown in microseconds of the database's clock; Infinity for a disabled key. */
  until: number;
}

/**
 * Checks from outside for the two things that must not happen. First: a key is leased during a cooldown that was answered before
 * the lease was requested; both times come from the database's clock. Second: a key is disabled that the provider has not
 * revoked.
 */
export class InvariantChecker {
  readonly #cooldowns = new Map<string, ReportedCooldown[]>();
  readonly #isRevoked: (keyId: string) => boolean;

  /** `isRevoked` asks the provider. */
  constructor(isRevoked: (keyId: string) => boolean) {
    this.#isRevoked = isRevoked;
  }

  /** Records an answer of set-key-state that arrived at `at`. */
  record(reported: Reported, at: number): void {
    const until = reported.state === "disabled" ? Number.POSITIVE_INFINITY : toMicros(reported.blocked_until);
    if (until === null) return;
    const cooldowns = this.#cooldowns.get(reported.key_id) ?? [];
    cooldowns.push({ at, until });
    this.#cooldowns.set(reported.key_id, cooldowns);
  }

  /** Whether an answer says that a good key is disabled. */
  isGoodKeyLost({ state, key_id }: Reported): boolean {
    return state === "disabled" && !this.#isRevoked(key_id);
  }

  /** Whether a lease is wrong; its call began at `begunAt`. */
  isInvalidLease(lease: Lease, begunAt: number): boolean {
    const leasedAt = toMicros(lease.leased_at) ?? Number.NaN;
    const cooldowns = this.#cooldowns.get(lease.key_id) ?? [];
    return cooldowns.some(({ at, until }) => at <= begunAt && leasedAt < until);
  }
}

/** Microseconds since the epoch of an ISO 8601 text: Date alone would cut Postgres's digits to milliseconds. */
export function toMicros(iso: string | null): number | null {
  if (iso === null) return null;
  const fraction = /\.(\d+)/.exec(iso)?.[1] ?? "";
  return Math.floor(Date.parse(iso) / 1000) * 1_000_000 + Number(fraction.padEnd(6, "0").slice(0, 6));
}
