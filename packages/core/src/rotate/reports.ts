import type { Outcome, Report, Wait } from "./types.ts";

/** The result of one attempt to report. */
export type ReportResult =
  /** The service has the report; `outcome` is its classification. */
  | { kind: "taken"; outcome: Outcome | null }
  /** The service refuses the report for good: a retry does not help. */
  | { kind: "refused"; code: string }
  /** No answer, or an answer that the service cannot work at the moment. */
  | { kind: "failed"; code: string };

export interface ReportPorts<L> {
  send(lease: L, report: Report): Promise<ReportResult>;
  wait: Wait;
  /** In [0, 1). */
  random(): number;
  onReported?(lease: L, report: Report, outcome: Outcome | null): void;
  onLost(lease: L, report: Report, code: string): void;
}

/** How often a report is tried, how many are sent at once, and how many may wait for that. */
const TRIES = 5;
const AT_ONCE = 64;
const WAITING = 10_000;

/** Pause before the next attempt, in milliseconds: exponential backoff with full jitter. */
export function backoff(attempt: number, random: number): number {
  return random * Math.min(250 * 2 ** attempt, 4_000);
}

/**
 * The reports on their way to the service. A lease is reported once: the first report counts, wherever it comes from.
 * Sending the same report again has no second effect there.
 */
export class Reports<L extends object> {
  readonly #ports: ReportPorts<L>;
  readonly #reported = new WeakSet<L>();
  readonly #open = new Set<Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(ports: ReportPorts<L>) {
    this.#ports = ports;
  }

  /** Resolves after the first attempt with the service's outcome, or null. Never rejects; retries continue in the background. */
  report(lease: L, report: Report): Promise<Outcome | null> {
    if (this.#reported.has(lease)) return Promise.resolve(null);
    this.#reported.add(lease);
    return new Promise((tried) => {
      const delivery = this.#deliver(lease, report, tried).finally(() => this.#open.delete(delivery));
      this.#open.add(delivery);
    });
  }

  /** Resolves when every earlier report was accepted or is lost. */
  async flush(): Promise<void> {
    await Promise.all(this.#open);
  }

  async #deliver(lease: L, report: Report, tried: (outcome: Outcome | null) => void): Promise<void> {
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
        tried(sent.kind === "taken" ? sent.outcome : null);
        if (sent.kind === "taken")
          return this.#quietly(() => this.#ports.onReported?.(lease, report, sent.outcome));
        if (sent.kind === "refused" || attempt >= TRIES) return this.#lose(lease, report, sent.code);
        await this.#ports.wait(backoff(attempt, this.#ports.random()));
      }
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  #lose(lease: L, report: Report, code: string): void {
    this.#quietly(() => this.#ports.onLost(lease, report, code));
  }

  /** No report is lost when a hook of the caller throws. */
  #quietly(call: () => void): void {
    try {
      call();
    } catch {}
  }
}
