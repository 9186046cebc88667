import type { ReportArguments } from "@keyhub/core/report";
import type { Caller } from "./caller.ts";
import type { Batch, Database } from "./database.ts";
import type { Refusal } from "./http.ts";

/** An agent's report of a call; absent fields are null. */
interface ReportedOutcome {
  status: "success" | "fail";
  errorCode: number | string | null;
  errorMessage: string | null;
  retryAfter: number | string | null;
  model?: string | null;
  sameAnswerAs?: string | null;
}

const SUCCESS: ReportArguments = { outcome: "success", rule: "success" };

/** Reports the outcome of a call by lease id or key id, and returns the state of the key. */
export async function sendReport(
  database: Database,
  caller: Caller,
  key: { lease_id?: string | undefined; key_id?: string | undefined },
  reported: ReportedOutcome,
  random: number,
): Promise<{ data: unknown } | Refusal> {
  const report = await interpretReport(reported, random);
  return database.callRpc(
    "report_api_key",
    { ...caller, ...key, report },
    // Only plain successes are batched: failures are rare and change the state of keys. A success that names a model is sent alone, because
    // it may be about another model than the lease's.
    report.rule === "success" && !report.hint_given && report.model === undefined && key.key_id === undefined
      ? batchOf(caller)
      : undefined,
  );
}

/** Returns the batch for plain successes of one caller: one call of report_successes with all their lease ids. */
function batchOf(caller: Caller): Batch {
  return {
    name: "report_successes",
    group: JSON.stringify(caller),
    args: (calls) => ({ ...caller, lease_ids: calls.map(({ lease_id }) => lease_id) }),
  };
}

/**
 * Classifies a report. `random`, in [0, 1), sets the jitter of a cooldown. The table of providers' errors is loaded only for a report that
 * is not a plain success, because most reports are plain successes.
 */
export async function interpretReport(reported: ReportedOutcome, random: number): Promise<ReportArguments> {
  const { status, retryAfter, model } = reported;
  if (status === "success" && retryAfter === null) return { ...SUCCESS, ...(model && { model }) };
  const { readReport } = await import("@keyhub/core/report");
  return readReport(reported, random);
}
