import type { Outcome, Report, ReportAnswer, Sleep } from "./types.ts";

/** The result of one attempt to report. */
export type ReportResult =
  /** The service has accepted the report. `answer` is null if it could not be read. */
  | { kind: "taken"; answer: ReportAnswer | null }
  /** The service refuses the report for good; a retry does not help. */
  | { kind: "refused"; code: string }
  /** The service did not answer, or answered that it cannot work at the moment. */
  | { kind: "failed"; code: string };

export interface ReportPorts<L> {
  send(lease: L, report: Report): Promise<ReportResult>;
  /** Returns a name for the keys that the lease was chosen from, such as the provider; see `failuresReported`. */
  poolOf(lease: L): string;
  wait: Sleep;
  /** Returns a number in [0, 1). */
  random(): number;
  onReported?(lease: L, report: Report, answer: ReportAnswer | null): void;
  onLost(lease: L, report: Report, code: string): void;
}

/** How often one report is tried, how many reports are sent at the same time, and how many may wait to be sent. */
const TRIES = 5;
const AT_ONCE = 64;
const WAITING = 10_000;

/** Reads the answer of set-key-state; `now` is the service's time, in milliseconds since 1970. */
export function readReportAnswer(
  { outcome, blocked_until }: Record<string, unknown>,
  now: number,
): ReportAnswer | null {
  if (typeof outcome !== "string") return null;
  const blockedUntil = Date.parse(String(blocked_until)) || 0;
  return { outcome: outcome as Outcome, blockedMs: Math.max(0, blockedUntil - now) };
}

/** Returns the pause before the next attempt, in milliseconds: exponential backoff with full jitter. */
export function backoff(attempt: number, random: number): number {
  return random * Math.min(250 * 2 ** attempt, 4_000);
}

/**
 * Sends reports to the service. Each lease is reported once: further reports on the lease are
 * ignored. A retry of a report that the service has already accepted changes nothing there.
 */
export class Reports<L extends object> {
  readonly #ports: ReportPorts<L>;
  readonly #reported = new WeakSet<L>();
  readonly #open = new Set<Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  /** Reports on failures, by pool, until the first attempt to send them has ended. */
  readonly #failures = new Map<string, Set<Promise<unknown>>>();
  #running = 0;

  constructor(ports: ReportPorts<L>) {
    this.#ports = ports;
  }

  /** Resolves after the first attempt, to the service's answer or to null. Never rejects; retries continue in the background. */
  report(lease: L, report: Report): Promise<ReportAnswer | null> {
    if (this.#reported.has(lease)) return Promise.resolve(null);
    this.#reported.add(lease);
    const first = new Promise<ReportAnswer | null>((tried) => {
      const delivery = this.#deliver(lease, report, tried).finally(() => this.#open.delete(delivery));
      this.#open.add(delivery);
    });
    if (report.status === "fail") this.#keepFailure(this.#ports.poolOf(lease), first);
    return first;
  }

  /** Resolves when each earlier report on a failure in the pool was sent once. From then on, the keys that they block are not leased. */
  async failuresReported(pool: string): Promise<void> {
    await Promise.all(this.#failures.get(pool) ?? []);
  }

  /** Resolves when every earlier report has been accepted, refused or abandoned. */
  async flush(): Promise<void> {
    await Promise.all(this.#open);
  }

  async #deliver(lease: L, report: Report, tried: (answer: ReportAnswer | null) => void): Promise<void> {
    if (this.#running >= AT_ONCE) {
      if (this.#waiting.length >= WAITING) {
        tried(null);
        this.#lose(lease, report, "too_many_reports");
        return;
      }
      await new Promise<void>((turn) => this.#waiting.push(turn));
    } else this.#running += 1;
    try {
      for (let attempt = 1; ; attempt += 1) {
        const sent = await this.#ports
          .send(lease, report)
          .catch((): ReportResult => ({ kind: "failed", code: "unexpected" }));
        tried(sent.kind === "taken" ? sent.answer : null);
        if (sent.kind === "taken")
          return this.#quietly(() => this.#ports.onReported?.(lease, report, sent.answer));
        if (sent.kind === "refused" || attempt >= TRIES) return this.#lose(lease, report, sent.code);
        await this.#ports.wait(backoff(attempt, this.#ports.random()));
      }
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #keepFailure(pool: string, first: Promise<unknown>): void {
    const failures = this.#failures.get(pool) ?? new Set();
    this.#failures.set(pool, failures.add(first));
    void first.then(() => {
      failures.delete(first);
      if (failures.size === 0) this.#failures.delete(pool);
    });
  }

  #lose(lease: L, report: Report, code: string): void {
    this.#quietly(() => this.#ports.onLost(lease, report, code));
  }

  /** Calls a hook of the caller and ignores its errors, which must not stop the delivery of reports. */
  #quietly(call: () => void): void {
    try {
      call();
    } catch {}
  }
}
