/** What is reported on a lease: an outcome, an error that was thrown, or the fields of set-key-state. */
export type ReportedOutcome = "success" | "cancelled" | Error | { status: "success" } | ReportedFailure;

export interface ReportedFailure {
  status: "fail";
  /** The provider's status, or the name of the error. */
  error_code: number | string;
  retry_after?: string;
  /** The provider's body: the whole one says most. */
  error_message?: string;
}

/**
 * A key for something that is not fetch. Report it once; the first report counts. Disposed without one it is reported as
 * cancelled. What is printed or stringified of it does not hold the key.
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
