import {
  type Attempt,
  type Failure,
  failureOf,
  modelName,
  type Report,
  rotate,
  SUCCESS,
  withoutKey,
} from "@keyhub/core/rotate";
import { HeldLease } from "./held-lease.ts";
import type { Leased } from "./lease.ts";
import type { LeaseManager } from "./lease-manager.ts";
import type { CallOptions, Settings } from "./options.ts";
import type { Lease } from "./public-lease.ts";
import { timing } from "./time.ts";

interface Returned<T> extends Attempt {
  result: { value: T } | { error: unknown };
}

/**
 * Calls `work` with a key, and again with another key when it throws an error that the key
 * or its limit caused. The outcome comes from the thrown error or from lease.report.
 */
export async function withKey<T>(
  provider: string,
  work: (key: string, lease: Lease) => T | Promise<T>,
  settings: Settings,
  leaseManager: LeaseManager,
  { model: given, signal }: CallOptions,
): Promise<T> {
  const model = given === undefined ? null : modelName(given);
  let asked = 0;
  const { answer } = await rotate<Leased, Returned<T>>(
    {
      lease: (want) => leaseManager.lease(provider, model, want, ++asked),
      send: (leased) => attempt(leased, work, signal, (report) => void leaseManager.report(leased, report)),
      report: (leased, report) => leaseManager.report(leased, report),
      reportOf: (error) => failureOf(error, signal?.aborted),
      ...timing(provider, settings),
      onRotate: ({ keyId, keyName }, { error_code: errorCode }, number) =>
        settings.emit({ type: "rotate", provider, keyId, keyName, attempt: number, errorCode }),
    },
    {
      attempts: settings.maxAttempts,
      maxWait: settings.maxWait,
      serverErrors: settings.retryServerErrors,
    },
    signal,
  );
  if ("error" in answer.result) throw answer.result.error;
  return answer.result.value;
}

async function attempt<T>(
  leased: Leased,
  work: (key: string, lease: Lease) => T | Promise<T>,
  signal: AbortSignal | undefined,
  sendReport: (report: Report) => void,
): Promise<Returned<T>> {
  const reports: Report[] = [];
  const held = new HeldLease(leased, (report) => {
    reports.push(report);
  });
  const discard = () => {};
  try {
    const value = await work(held.key, held);
    sendReport(reports[0] ?? SUCCESS);
    return { failure: null, discard, result: { value } };
  } catch (thrown) {
    const error = withoutKey(thrown, leased.key);
    // A report that `work` made itself replaces the report on the error. If it is a success, `work` is not called again.
    const report: Report = reports[0] ?? failureOf(thrown, signal?.aborted);
    if (report.status === "success") sendReport(report);
    const failure: Failure | null = report.status === "fail" ? withoutEcho(report, leased.key) : null;
    return { failure, discard, result: { error } };
  }
}

function withoutEcho(failure: Failure, key: string): Failure {
  const { error_message } = failure;
  return error_message === undefined
    ? failure
    : { ...failure, error_message: error_message.replaceAll(key, "*".repeat(key.length)) };
}
