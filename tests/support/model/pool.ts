import { POLICY } from "../../../packages/core/src/keys/policy.ts";

/**
 * A small reference model of the key service, written from its rules and not from its SQL. It has one pool, one caller at a time, and a
 * clock in seconds that only the test moves. The tests do the same actions in the model and the database, and compare the results.
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
  /** The end of the last block; null when the key was never blocked or was reset. */
  blockedUntil: number | null;
  /** The end of the last block by a rate or quota limit. */
  rateUntil: number | null;
  /** The cause of the present block. */
  cause: Outcome | "operator" | "many" | null;
  /** The time when a report disabled the key; null when the key is enabled or an operator disabled it. */
  killedAt: number | null;
  lastFailure: number | null;
  serverErrors: number[];
  /** Whether the key was blocked and has not returned yet. A key returns when a lease finds that its block is over, or by an edit. */
  away: boolean;
  /** The blocks of its models. */
  models: Map<string, ModelBlock>;
  /** The models for which the key is limited. A model is removed when a lease for it finds that the limit is over. */
  limited: Set<string>;
}

/** The block of a model has the same fields as that of a key. */
export type ModelBlock = Pick<
  ModelKey,
  "failures" | "blockedUntil" | "rateUntil" | "cause" | "lastFailure"
> & {
  resetAt: number | null;
};

export interface ModelLease {
  keyId: string;
  model: string | null;
  generation: number;
  issuedAt: number;
  reported: { outcome: string; answer: ReportResult } | null;
}

export interface ReportResult {
  state: string;
  blockedUntil: number | null;
  failures: number;
  effect: string;
  scope: string | null;
  /** The effect of the hint (used, capped or ignored); undefined when the report had no hint. */
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
    const usage = key.usage || this.joinsAt(key) || 0;
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
      away: false,
      models: new Map(),
      limited: new Set(),
    });
  }

  /** Returns the next key, or the wait: null if waiting cannot help. An excluded key is returned only if no other key is ready. */
  next(
    provider: string | null,
    exclude: string[] = [],
    model: string | null = null,
  ): { key: ModelKey } | { wait: number | null; cooling: number; limited: number; disabled: number } {
    const eligible = this.keys.filter(
      (key) => provider === null || key.provider === null || key.provider === provider,
    );
    const found =
      this.search(
        eligible.filter(({ id }) => !exclude.includes(id)),
        model,
      ) ?? this.search(eligible, model);
    if (found !== null) return { key: found };
    const usable = eligible.filter((key) => key.active);
    const cooling = usable.filter((key) => this.blocked(key));
    const ends = usable.map((key) => Math.max(key.blockedUntil ?? 0, this.limitOf(key, model) ?? 0));
    return {
      wait: ends.length > 0 ? Math.min(...ends) - this.now : null,
      cooling: cooling.length,
      limited: usable.length - cooling.length,
      disabled: eligible.length - usable.length,
    };
  }

  /** Searches for a key tier by tier. Before it searches a tier, it lets the tier's keys return whose block is over. */
  private search(keys: ModelKey[], model: string | null): ModelKey | null {
    for (const priority of [...new Set(this.keys.map((key) => key.priority))].sort((a, b) => b - a)) {
      const tier = this.keys.filter((key) => key.priority === priority).sort(inOrder);
      for (const key of tier)
        if (key.active && key.away && !this.blocked(key)) {
          key.usage = Math.max(key.usage, this.least(tier, key.id, false) ?? 0);
          key.away = false;
        }
      const first = () =>
        keys
          .filter((key) => key.priority === priority && this.ready(key))
          .filter((key) => (this.limitOf(key, model) ?? 0) <= this.now)
          .sort(inOrder)[0];
      if (model !== null && first()?.limited.has(model)) this.level(tier, model);
      const key = first();
      if (key !== undefined) return key;
    }
    return null;
  }

  /** Levels keys whose limit for a model is over: raises their use count to the least count of the keys that were not limited for it. */
  private level(tier: ModelKey[], model: string): void {
    const ready = tier.filter((key) => this.ready(key));
    const free = ready.filter((key) => !key.limited.has(model)).map((key) => key.usage);
    for (const key of ready)
      if (key.limited.has(model) && (this.limitOf(key, model) ?? 0) <= this.now) {
        key.limited.delete(model);
        if (free.length > 0) key.usage = Math.max(key.usage, Math.min(...free));
      }
  }

  private ready(key: ModelKey): boolean {
    return key.active && !key.away;
  }

  /** Returns the end of a model's block. */
  private limitOf(key: ModelKey, model: string | null): number | null {
    return (model !== null && key.models.get(model)?.blockedUntil) || null;
  }

  lease(leaseId: string, key: ModelKey, model: string | null = null): void {
    key.usage += 1;
    this.leases.set(leaseId, {
      keyId: key.id,
      model,
      generation: key.generation,
      issuedAt: this.now,
      reported: null,
    });
  }

  /** Reports an outcome. Returns null when the lease was reported already with another outcome. */
  report(leaseId: string, kind: Outcome, name: string, hint: number | null): ReportResult | null {
    const lease = this.leases.get(leaseId);
    if (lease === undefined) throw new Error("no such lease");
    if (lease.reported !== null) {
      return lease.reported.outcome === name ? { ...lease.reported.answer, effect: "duplicate" } : null;
    }
    const key = this.key(lease.keyId);
    const limit = kind === "rate" && lease.model !== null ? this.modelOf(key, lease.model) : null;
    const effect = this.effectOf(key, limit, lease, kind, hint);
    // The answer describes the block of the model if the report is about the model's limit, else the block of the key.
    const told = limit ?? key;
    const cap = kind === "server" ? 60 : DAY;
    const set = hint !== null && effect === "cooled" && told.blockedUntil === this.now + Math.min(hint, cap);
    const answer = {
      hint: hint === null ? undefined : !set ? "ignored" : hint > cap ? "capped" : "used",
      state: !key.active ? "disabled" : this.blocked(told) ? "cooling_down" : "available",
      blockedUntil: this.blocked(told) ? told.blockedUntil : null,
      failures: told.failures,
      effect,
      scope:
        kind === "success" || kind === "server"
          ? null
          : kind === "nothing"
            ? name === "caller_fault"
              ? "request"
              : null
            : limit !== null
              ? "model"
              : kind === "quota"
                ? "account"
                : "key",
    };
    lease.reported = { outcome: name, answer };
    return answer;
  }

  private effectOf(
    key: ModelKey,
    limit: ModelBlock | null,
    lease: ModelLease,
    kind: Outcome,
    hint: number | null,
  ): string {
    const model = lease.model === null ? undefined : key.models.get(lease.model);
    const isOld = lease.generation < key.generation;
    if (limit !== null) {
      if (isOld || (limit.resetAt !== null && lease.issuedAt < limit.resetAt)) return "stale";
      if (!key.active) return "ignored";
      key.serverErrors = [];
      const effect = this.escalate(limit, lease.issuedAt, "rate", hint);
      if (effect === "cooled") key.limited.add(lease.model ?? "");
      return effect;
    }
    const effect = isOld ? "stale" : this.apply(key, lease.issuedAt, kind, hint);
    if (kind !== "success" || model === undefined) return effect;
    const also =
      isOld || (model.resetAt !== null && lease.issuedAt < model.resetAt)
        ? "stale"
        : this.succeed(model, lease.issuedAt, this.blocked(model), key.active);
    return effect === "none" ? also : effect;
  }

  private modelOf(key: ModelKey, model: string): ModelBlock {
    const block = key.models.get(model) ?? {
      failures: 0,
      blockedUntil: null,
      rateUntil: null,
      cause: null,
      lastFailure: null,
      resetAt: null,
    };
    key.models.set(model, block);
    return block;
  }

  resetModel(key: ModelKey, model: string): void {
    const block = key.models.get(model);
    if (block === undefined) return;
    Object.assign(block, {
      blockedUntil: null,
      rateUntil: null,
      cause: null,
      failures: 0,
      resetAt: this.now,
    });
  }

  /** Lets a key return when it is reset, replaced or enabled. Its use count is levelled, unless it has returned already. */
  private comeBack(key: ModelKey): void {
    key.models.clear();
    if (!key.away) return;
    key.away = false;
    if (key.active) key.usage = Math.max(key.usage, this.least(this.tierOf(key), key.id, false) ?? 0);
  }

  private tierOf({ priority }: ModelKey): ModelKey[] {
    return this.keys.filter((key) => key.priority === priority);
  }

  reset(key: ModelKey): void {
    if (key.blockedUntil !== null || key.failures > 0) {
      key.generation += 1;
      this.comeBack(key);
    }
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
    key.away = false;
    key.usage = this.joinsAt(key) ?? key.usage;
    this.renew(key);
  }

  renew(key: ModelKey): void {
    key.generation += 1;
    this.comeBack(key);
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
    if (!key.active) return;
    key.usage = this.joinsAt(key) ?? key.usage;
    if (!this.blocked(key)) key.away = false;
  }

  private blocked(block: { blockedUntil: number | null }): boolean {
    return block.blockedUntil !== null && block.blockedUntil > this.now;
  }

  /**
   * Returns the least use count of the tier's enabled keys, without the key `except`. Without `away`, only keys that have returned count;
   * with `away`, only keys that have not.
   */
  private least(tier: ModelKey[], except: string | null, away: boolean): number | null {
    const counts = tier
      .filter((key) => key.active && key.away === away && key.id !== except)
      .map((key) => key.usage);
    return counts.length > 0 ? Math.min(...counts) : null;
  }

  private joinsAt(key: Pick<ModelKey, "id" | "priority">): number | null {
    const tier = this.keys.filter(({ priority }) => priority === key.priority);
    return this.least(tier, key.id, false) ?? this.least(tier, key.id, true);
  }

  private apply(key: ModelKey, issuedAt: number, kind: Outcome, hint: number | null): string {
    const inBlock = this.blocked(key);
    if (kind === "success") {
      const effect = this.succeed(key, issuedAt, inBlock, key.active);
      if (effect !== "stale") key.serverErrors = [];
      return effect;
    }
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

  /** Returns the number of keys of a provider that reports have disabled within a minute. */
  private killed(provider: string | null): number {
    return this.keys.filter(
      (key) => key.provider === provider && key.killedAt !== null && key.killedAt > this.now - 60,
    ).length;
  }

  private succeed(key: ModelBlock | ModelKey, issuedAt: number, inBlock: boolean, active: boolean): string {
    const old = key.lastFailure !== null && issuedAt <= key.lastFailure;
    if (inBlock || old || (!active && key.failures > 0)) return "stale";
    const effect = key.failures > 0 ? "recovered" : "none";
    key.failures = 0;
    return effect;
  }

  private escalate(
    key: ModelBlock | ModelKey,
    issuedAt: number,
    kind: "rate" | "quota",
    hint: number | null,
  ): string {
    if (key.rateUntil !== null && issuedAt < key.rateUntil) {
      if (hint === null || !this.block(key, this.now + Math.min(hint, DAY), kind)) return "ignored";
      key.rateUntil = key.blockedUntil;
      return "cooled";
    }
    // A day since the last failure resets the count of failures, even if the key was blocked during the whole day.
    if (key.lastFailure !== null && key.lastFailure <= this.now - DAY) key.failures = 0;
    key.failures += 1;
    const { base, cap } = POLICY[kind];
    const seconds = hint === null ? Math.min(base * 2 ** (key.failures - 1), cap) : Math.min(hint, DAY);
    this.block(key, this.now + seconds, kind);
    // `kind` becomes the cause even if a longer block of another cause stays.
    key.cause = kind;
    key.lastFailure = this.now;
    key.rateUntil = key.blockedUntil;
    return "cooled";
  }

  /** Sets or lengthens the block. Returns false and changes nothing when the present block ends later. */
  private block(key: ModelBlock | ModelKey, until: number, cause: Outcome | "many"): boolean {
    if (key.blockedUntil !== null && key.blockedUntil >= until) return false;
    key.blockedUntil = until;
    if ("away" in key) key.away = true;
    key.cause = cause;
    key.lastFailure = this.now;
    return true;
  }
}

function inOrder(a: ModelKey, b: ModelKey): number {
  return a.usage - b.usage || (a.id < b.id ? -1 : 1);
}
