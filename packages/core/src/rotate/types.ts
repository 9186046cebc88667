import type { Outcome } from "../provider-errors/types.ts";

export type { Outcome };

/** A call that did not succeed, with the fields of set-key-state. */
export interface Failure {
  status: "fail";
  error_code: number | string;
  retry_after?: string;
  error_message?: string;
  /** An earlier lease of the same request whose key got the same refusal. */
  same_answer_as?: string;
}

/** The report on a lease. */
export type Report = { status: "success" } | Failure;

export const SUCCESS: Report = { status: "success" };

/** Aborted by the caller, or never sent: nothing is known about the key. */
export const CANCELLED: Failure = { status: "fail", error_code: "cancelled" };

/** What the rotation needs of the service's answer to a report. */
export interface ReportAnswer {
  outcome: Outcome;
  /** Milliseconds until the block of the key, or of its model, is over; 0 without one. */
  blockedMs: number;
}

/** What the rotation needs to know about a lease. */
export interface Leased {
  leaseId: string;
  keyId: string;
  /** No other key may follow it: it is a fallback and not a lease of the service. */
  last?: boolean;
}

/** How long a call may still wait, in milliseconds. Every wait for a key or for the service is subtracted. */
export interface Budget {
  left: number;
  /** How often the call has waited: a key that failed before a wait may have recovered. */
  waits: number;
}

/** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted first. */
export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>;
