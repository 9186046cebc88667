/** The report on a lease: an outcome, an error that was thrown, or the fields of set-key-state. */
export type ReportedOutcome = "success" | "cancelled" | Error | { status: "success" } | ReportedFailure;

export interface ReportedFailure {
  status: "fail";
  /** The status of the provider's answer, or the name of the error. */
  error_code: number | string;
  retry_after?: string;
  /** The body of the provider's answer, complete if possible. */
  error_message?: string;
}

/**
 * A key for calls that do not use fetch. Call `report` once: further reports are ignored. A lease that is disposed
 * without a report is reported as cancelled. Printing or stringifying the object does not show the key.
 */
export interface Lease {
  readonly leaseId: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly provider: string;
  readonly key: string;
  readonly settings: Readonly<Record<string, string>>;
  report(outcome: ReportedOutcome): void;
  [Symbol.asyncDispose](): Promise<void>;
}
