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
}

const SUCCESS: ReportArguments = { outcome: "success", rule: "success" };

/** Reports by lease or key id; gives the state of the key. `provider` is that of the key, where it is known. */
export async function sendReport(
  database: Database,
  caller: Caller,
  key: { lease_id?: string | undefined; key_id?: string | undefined },
  reported: ReportedOutcome,
  random: number,
  provider?: string | null,
): Promise<{ data: unknown } | Refusal> {
  const read = await interpretReport(database, caller, key, reported, random, provider);
  if ("problem" in read) return read;
  const { report } = read;
  return database.callRpc(
    "report_api_key",
    { ...caller, ...key, report },
    // Only plain successes are batched: failures are rare and change the state of keys.
    report.rule === "success" && !report.hint_given && key.key_id === undefined ? batchOf(caller) : undefined,
  );
}

/** Successes of one caller, reported by lease id, may share a batch. */
function batchOf(caller: Caller): Batch {
  return {
    name: "report_successes",
    group: JSON.stringify(caller),
    args: (calls) => ({ ...caller, lease_ids: calls.map(({ lease_id }) => lease_id) }),
  };
}

/**
 * Classifies a report. Where the meaning depends on the provider of the key and that is not given, the database is asked for it.
 * `random` is in [0, 1). The readers of providers' answers are loaded with the first failure: most reports are plain successes.
 */
export async function interpretReport(
  database: Database,
  caller: Caller,
  key: { lease_id?: string | undefined; key_id?: string | undefined },
  reported: ReportedOutcome,
  random: number,
  provider?: string | null,
): Promise<{ report: ReportArguments } | Refusal> {
  if (reported.status === "success" && reported.retryAfter === null) return { report: SUCCESS };
  const { readReport } = await import("@keyhub/core/report");
  const first = readReport(reported, random, provider);
  if (!first.dependsOnProvider || provider !== undefined) return first;
  const answer = await database.callRpc("api_key_provider", { ...caller, ...key });
  return "problem" in answer ? answer : readReport(reported, random, answer.data as string | null);
}
