import { CANCELLED, failureOf, type Report, SUCCESS } from "@keyhub/core/rotate";
import type { Leased } from "./lease.ts";
import type { Lease, ReportedOutcome } from "./public-lease.ts";

export class HeldLease implements Lease {
  readonly leaseId: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly provider: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly #leased: Leased;
  readonly #send: (report: Report) => void;
  #report: Report | null = null;

  constructor(leased: Leased, send: (report: Report) => void) {
    this.leaseId = leased.leaseId;
    this.keyId = leased.keyId;
    this.keyName = leased.keyName;
    this.provider = leased.provider;
    this.settings = leased.settings;
    this.#leased = leased;
    this.#send = send;
  }

  get key(): string {
    return this.#leased.key;
  }

  report(outcome: ReportedOutcome): void {
    if (this.#report !== null) return;
    this.#report = reportOf(outcome);
    this.#send(this.#report);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.report("cancelled");
  }
}

export function reportOf(outcome: ReportedOutcome): Report {
  if (outcome === "success") return SUCCESS;
  if (outcome === "cancelled") return CANCELLED;
  return outcome instanceof Error ? failureOf(outcome) : outcome;
}
