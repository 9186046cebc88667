import type { Outcome } from "../provider-errors/types.ts";

export type { Outcome };

/** The report on a call that did not succeed, with the fields of set-key-state. */
export interface Failure {
  status: "fail";
  error_code: number | string;
  retry_after?: string;
  error_message?: string;
  /** The id of an earlier lease of the same request, whose key got the same refusal. */
  same_answer_as?: string;
}

/** The report on a lease. */
export type Report = { status: "success" } | Failure;

export const SUCCESS: Report = { status: "success" };

/** The report when the caller aborted the call, or never sent the request: nothing is known about the key. */
export const CANCELLED: Failure = { status: "fail", error_code: "cancelled" };

/** The parts of the service's answer to a report that the rotation needs. */
export interface ReportAnswer {
  outcome: Outcome;
  /** How long the key is still blocked, for all models or for the model of the call, in milliseconds; 0 if it is not blocked. */
  blockedMs: number;
}

/** The parts of a lease that the rotation needs. */
export interface RotationLease {
  leaseId: string;
  keyId: string;
  /** No other key may follow this one: it is a fallback, not a lease of the service. */
  last?: boolean;
}

/** How long a call may still wait, in milliseconds. Every wait for a key or for the service is subtracted. */
export interface WaitBudget {
  left: number;
  /** How often the call has waited. A key that failed before a wait may have recovered after it. */
  waits: number;
}

/** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted first. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;
