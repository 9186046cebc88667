import {
  CANCELLED,
  type LeaseAttempt,
  type LeaseOptions,
  LeaseQueues,
  type Report,
  type ReportAnswer,
  type ReportResult,
  Reports,
  readReportAnswer,
  type Sleep,
} from "@keyhub/core/rotate";
import type { Keyring } from "@keyhub/core/seal";
import type { Caller } from "../_shared/caller.ts";
import type { Database } from "../_shared/database.ts";
import { leaseKey, noKeyProblem, type OpenedKeys } from "../_shared/lease.ts";
import { sendReport } from "../_shared/report.ts";
import { HeldKey } from "./held-key.ts";
import { Refused } from "./refused.ts";

export interface LeaseManagerDependencies {
  database: Database;
  keyring: () => Promise<Keyring>;
  opened: OpenedKeys;
  wait: Sleep;
  /** Returns the milliseconds of a monotonic clock. */
  now: () => number;
  /** Returns a number in [0, 1). */
  random: () => number;
  /** Keeps the isolate alive until the work is done, although no answer waits for it. */
  background: (work: Promise<unknown>) => void;
}

/** Leases keys for the gateway and sends its reports. */
export interface GatewayLeases {
  lease(caller: Caller, provider: string, model: string | null, want: LeaseOptions): Promise<HeldKey>;
  /** Resolves with the service's answer to the first try to report; never rejects. */
  report(lease: HeldKey, report: Report): Promise<ReportAnswer | null>;
}

/** Returns the lease manager of an isolate. Requests of one caller for the same provider and model share one queue while keys cool down. */
export function createLeaseManager(dependencies: LeaseManagerDependencies): GatewayLeases {
  const { wait, now, random, background } = dependencies;
  const reports = new Reports<HeldKey>({
    send: (lease, report) => send(dependencies, lease, report),
    poolOf: ({ caller }) => JSON.stringify(caller),
    wait,
    random,
    onLost: ({ leaseId }, _, code) => console.error(`the report of lease ${leaseId} is lost: ${code}`),
  });
  const report = (lease: HeldKey, report: Report) => {
    const tried = reports.report(lease, report);
    background(tried);
    return tried;
  };
  const queues = new LeaseQueues<HeldKey>();
  return {
    lease: (caller, provider, model, want) =>
      queues.lease(JSON.stringify([caller, provider, model]), want, () => ({
        ask: async (exclude) => {
          await reports.failuresReported(JSON.stringify(caller));
          return ask(dependencies, caller, provider, model, exclude);
        },
        late: (lease) => void report(lease, CANCELLED),
        wait,
        random,
        now,
      })),
    report,
  };
}

async function ask(
  dependencies: LeaseManagerDependencies,
  caller: Caller,
  provider: string,
  model: string | null,
  exclude: string[],
): Promise<LeaseAttempt<HeldKey>> {
  const ring = await dependencies.keyring();
  const args = {
    ...caller,
    live_kids: ring.kids,
    provider,
    ...(model !== null && { model }),
    ...(exclude.length > 0 && { exclude }),
  };
  const got = await leaseKey(dependencies, ring, args, exclude.length === 0);
  if ("lease" in got) return { kind: "leased", lease: new HeldKey(caller, got.lease, got.apiKey) };
  if ("noKey" in got) {
    const problem = noKeyProblem(got.noKey);
    const { retry_after: seconds } = problem;
    if (typeof seconds !== "number")
      return {
        kind: "none",
        error: new Refused({ problem, headers: { "X-Should-Retry": "false" } }),
      };
    const error = (left: number) => new Refused({ problem: { ...problem, retry_after: left } });
    return { kind: "cooling", seconds, error };
  }
  const kind = got.problem.code === "unavailable" ? "failed" : "none";
  return { kind, error: new Refused(got) };
}

async function send(
  { database, random }: LeaseManagerDependencies,
  lease: HeldKey,
  report: Report,
): Promise<ReportResult> {
  const failure = report.status === "fail" ? report : null;
  const reported = {
    status: report.status,
    errorCode: failure?.error_code ?? null,
    errorMessage: failure?.error_message ?? null,
    retryAfter: failure?.retry_after ?? null,
    sameAnswerAs: failure?.same_answer_as ?? null,
  };
  const key = { lease_id: lease.leaseId };
  const answer = await sendReport(database, lease.caller, key, reported, random());
  if ("data" in answer) return { kind: "taken", answer: readReportAnswer(Object(answer.data), Date.now()) };
  const { code } = answer.problem;
  return { kind: code === "unavailable" ? "failed" : "refused", code };
}
