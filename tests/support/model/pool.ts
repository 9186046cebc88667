import { POLICY } from "../../../packages/core/src/keys/policy.ts";

/**
 * A small reference model of the key service, written from its rules and not from its SQL: one pool, one caller at a
 * time, a clock in seconds that only moves when the test moves it. The tests drive it and the database side by side.
 */
export type Outcome =
  | "success"
  | "rate"
  | "quota"
  | "dead"
  | "unauthorized"
  | "refused"
  | "server"
  | "nothing";

export interface ModelKey {
  id: string;
  priority: number;
  provider: string | null;
  active: boolean;
  usage: number;
  generation: number;
  failures: number;
  /** End of the block; null when there never was one or it was reset. */
  blockedUntil: number | null;
  /** End of the last block by rate or quota. */
  rateUntil: number | null;
  /** What the present block is about. */
  cause: Outcome | "operator" | "many" | null;
  /** When a report disabled it; null when it is on, or an operator did. */
  killedAt: number | null;
  lastFailure: number | null;
  serverErrors: number[];
}

export interface ModelLease {
  keyId: string;
  generation: number;
  issuedAt: number;
  reported: { outcome: string; answer: ReportResult } | null;
}

export interface ReportResult {
  state: string;
  blockedUntil: number | null;
  failures: number;
  effect: string;
  /** What became of the hint; undefined when none was sent. */
  hint: string | undefined;
}

const DAY = 86_400;

export class Pool {
  now = 0;
  keys: ModelKey[] = [];
  leases = new Map<string, ModelLease>();

  key(id: string): ModelKey {
    const key = this.keys.find((candidate) => candidate.id === id);
    if (key === undefined) throw new Error(`no key ${id}`);
    return key;
  }

  state(key: ModelKey): string {
    if (!key.active) return "disabled";
    return this.blocked(key) ? "cooling_down" : "available";
  }

  add(key: Pick<ModelKey, "id" | "priority" | "provider"> & { usage?: number }): void {
    const usage = key.usage || this.least(key.priority, null) || 0;
    this.keys.push({
      ...key,
      usage,
      active: true,
      generation: 1,
      failures: 0,
      blockedUntil: null,
      rateUntil: null,
      cause: null,
      killedAt: null,
      lastFailure: null,
      serverErrors: [],
    });
  }

  /** Who comes next, or how long to wait: null when waiting cannot help. An excluded key only where no other is left. */
  next(
    provider: string | null,
    exclude: string[] = [],
  ): { key: ModelKey } | { wait: number | null; cooling: number; disabled: number } {
    const eligible = this.keys.filter(
      (key) => provider === null || key.provider === null || key.provider === provider,
    );
    const [first] = eligible
      .filter((key) => this.state(key) === "available")
      .sort(
        (a, b) =>
          Number(exclude.includes(a.id)) - Number(exclude.includes(b.id)) ||
          b.priority - a.priority ||
          a.usage - b.usage ||
          (a.id < b.id ? -1 : 1),
      );
    if (first !== undefined) return { key: first };
    const cooling = eligible.filter((key) => key.active);
    const ends = cooling.map((key) => key.blockedUntil ?? 0);
    return {
      wait: ends.length > 0 ? Math.min(...ends) - this.now : null,
      cooling: cooling.length,
      disabled: eligible.length - cooling.length,
    };
  }

  lease(leaseId: string, key: ModelKey): void {
    key.usage += 1;
    this.leases.set(leaseId, {
      keyId: key.id,
      generation: key.generation,
      issuedAt: this.now,
      reported: null,
    });
  }

  /** The conflict of another outcome on a reported lease is null. */
  report(leaseId: string, kind: Outcome, name: string, hint: number | null): ReportResult | null {
    const lease = this.leases.get(leaseId);
    if (lease === undefined) throw new Error("no such lease");
    if (lease.reported !== null) {
      return lease.reported.outcome === name ? { ...lease.reported.answer, effect: "duplicate" } : null;
    }
    const key = this.key(lease.keyId);
    const effect = lease.generation < key.generation ? "stale" : this.apply(key, lease.issuedAt, kind, hint);
    const cap = kind === "server" ? 60 : DAY;
    const set = hint !== null && effect === "cooled" && key.blockedUntil === this.now + Math.min(hint, cap);
    const answer = {
      hint: hint === null ? undefined : !set ? "ignored" : hint > cap ? "capped" : "used",
      state: this.state(key),
      blockedUntil: this.blocked(key) ? key.blockedUntil : null,
      failures: key.failures,
      effect,
    };
    lease.reported = { outcome: name, answer };
    return answer;
  }

  reset(key: ModelKey): void {
    if (key.blockedUntil !== null || key.failures > 0) key.generation += 1;
    key.blockedUntil = null;
    key.rateUntil = null;
    key.serverErrors = [];
    key.cause = null;
    key.failures = 0;
  }

  enable(key: ModelKey): void {
    if (key.active) return;
    key.active = true;
    key.killedAt = null;
    key.usage = this.least(key.priority, key.id) ?? key.usage;
    this.renew(key);
  }

  renew(key: ModelKey): void {
    key.generation += 1;
    key.failures = 0;
    key.lastFailure = null;
    key.serverErrors = [];
    key.blockedUntil = null;
    key.rateUntil = null;
    key.cause = null;
  }

  move(key: ModelKey, priority: number): void {
    if (key.priority === priority) return;
    key.priority = priority;
    if (key.active) key.usage = this.least(priority, key.id) ?? key.usage;
  }

  private blocked(key: ModelKey): boolean {
    return key.blockedUntil !== null && key.blockedUntil > this.now;
  }

  private least(priority: number, except: string | null): number | null {
    const counts = this.keys
      .filter((key) => key.active && key.priority === priority && key.id !== except)
      .map((key) => key.usage);
    return counts.length > 0 ? Math.min(...counts) : null;
  }

  private apply(key: ModelKey, issuedAt: number, kind: Outcome, hint: number | null): string {
    const inBlock = this.blocked(key);
    if (kind === "success") return this.succeed(key, issuedAt, inBlock);
    if (!key.active) return "ignored";
    if (kind !== "server") key.serverErrors = [];
    switch (kind) {
      case "nothing":
        return "ignored";
      case "dead":
        if (this.killed(key.provider) >= 2) {
          if (inBlock && key.cause === "many") return "ignored";
          return this.block(key, this.now + 300, "many") ? "cooled" : "ignored";
        }
        key.active = false;
        key.killedAt = this.now;
        key.lastFailure = this.now;
        return "disabled";
      case "refused":
      case "unauthorized":
        if (inBlock && key.cause === kind) return "ignored";
        return this.block(key, this.now + Math.min(hint ?? 300, DAY), kind) ? "cooled" : "ignored";
      case "server":
        if (inBlock) return "ignored";
        key.serverErrors = [...key.serverErrors.filter((time) => time > this.now - 60), this.now];
        if (key.serverErrors.length < 3) return "ignored";
        key.serverErrors = key.serverErrors.slice(-2);
        this.block(key, this.now + Math.min(hint ?? 10, 60), kind);
        return "cooled";
      default:
        return this.escalate(key, issuedAt, kind, hint);
    }
  }

  /** Keys of a provider that reports have disabled within a minute. */
  private killed(provider: string | null): number {
    return this.keys.filter(
      (key) => key.provider === provider && key.killedAt !== null && key.killedAt > this.now - 60,
    ).length;
  }

  private succeed(key: ModelKey, issuedAt: number, inBlock: boolean): string {
    const old = key.lastFailure !== null && issuedAt <= key.lastFailure;
    if (inBlock || old || (!key.active && key.failures > 0)) return "stale";
    key.serverErrors = [];
    const effect = key.failures > 0 ? "recovered" : "none";
    key.failures = 0;
    return effect;
  }

  private escalate(key: ModelKey, issuedAt: number, kind: "rate" | "quota", hint: number | null): string {
    if (key.rateUntil !== null && issuedAt < key.rateUntil) {
      if (hint === null || !this.block(key, this.now + Math.min(hint, DAY), kind)) return "ignored";
      key.rateUntil = key.blockedUntil;
      return "cooled";
    }
    // By the letter: a day since the last failure, also where its block lasted that long.
    if (key.lastFailure !== null && key.lastFailure <= this.now - DAY) key.failures = 0;
    key.failures += 1;
    const { base, cap } = POLICY[kind];
    const seconds = hint === null ? Math.min(base * 2 ** (key.failures - 1), cap) : Math.min(hint, DAY);
    this.block(key, this.now + seconds, kind);
    // Also where a longer block of another cause stands: it is a rate block from now on.
    key.cause = kind;
    key.lastFailure = this.now;
    key.rateUntil = key.blockedUntil;
    return "cooled";
  }

  /** Sets or lengthens the block; false when there is a longer one. */
  private block(key: ModelKey, until: number, cause: Outcome | "many"): boolean {
    if (key.blockedUntil !== null && key.blockedUntil >= until) return false;
    key.blockedUntil = until;
    key.cause = cause;
    key.lastFailure = this.now;
    return true;
  }
}
