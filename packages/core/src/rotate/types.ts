import type { Outcome } from "../keys/answers/types.ts";

export type { Outcome };

/** A call that did not succeed, as the body of set-key-state says it. */
export interface Failure {
  status: "fail";
  error_code: number | string;
  retry_after?: string;
  error_message?: string;
}

/** What is reported on a lease. */
export type Told = { status: "success" } | Failure;

export const SUCCESS: Told = { status: "success" };

/** Aborted by the caller, or never sent: it says nothing about the key. */
export const CANCELLED: Failure = { status: "fail", error_code: "cancelled" };

/** What the rotation has to know of a lease. */
export interface Leased {
  keyId: string;
  /** No other key may follow it: a fallback, which is no lease of the service. */
  last?: boolean;
}

/** What a call may still wait, in milliseconds. Every wait for a key or for the service is taken from it. */
export interface Budget {
  left: number;
  /** How often it was waited for cooling keys: a key that failed may have recovered since. */
  waits: number;
}

/** Resolves after so many milliseconds; rejects with the signal's reason when that comes first. */
export type Wait = (ms: number, signal?: AbortSignal) => Promise<void>;
