import { CANCELLED, failureOf, SUCCESS, type Told } from "@keyhub/core/rotate";
import type { Leased } from "./lease.ts";
import type { Lease, ReportedOutcome } from "./public-lease.ts";

export class HeldLease implements Lease {
  readonly leaseId: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly provider: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly #leased: Leased;
  readonly #tell: (told: Told) => void;
  #told: Told | null = null;

  constructor(leased: Leased, tell: (told: Told) => void) {
    this.leaseId = leased.leaseId;
    this.keyId = leased.keyId;
    this.keyName = leased.keyName;
    this.provider = leased.provider;
    this.settings = leased.settings;
    this.#leased = leased;
    this.#tell = tell;
  }

  get key(): string {
    return this.#leased.key;
  }

  report(outcome: ReportedOutcome): void {
    if (this.#told !== null) return;
    this.#told = toldOf(outcome);
    this.#tell(this.#told);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.report("cancelled");
  }
}

export function toldOf(outcome: ReportedOutcome): Told {
  if (outcome === "success") return SUCCESS;
  if (outcome === "cancelled") return CANCELLED;
  return outcome instanceof Error ? failureOf(outcome) : outcome;
}
