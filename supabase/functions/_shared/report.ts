import type { ReportArguments } from "@keyhub/core/report";
import type { Caller } from "./caller.ts";
import type { Database } from "./database.ts";
import type { Refusal } from "./http.ts";

/** An agent's report of a call; absent fields are null. */
interface ReportedOutcome {
  status: "success" | "fail";
  errorCode: number | string | null;
  errorMessage: string | null;
  retryAfter: number | string | null;
}

const SUCCESS: ReportArguments = { outcome: "success", rule: "success" };

/**
 * Classifies a report. Where the meaning depends on the provider, the database is asked for the provider of the key. `random`
 * is in [0, 1). The readers of providers' answers are loaded with the first failure: most reports are plain successes.
 */
export async function interpretReport(
  database: Database,
  caller: Caller,
  key: { lease_id?: string | undefined; key_id?: string | undefined },
  reported: ReportedOutcome,
  random: number,
): Promise<{ report: ReportArguments } | Refusal> {
  if (reported.status === "success" && reported.retryAfter === null) return { report: SUCCESS };
  const { readReport } = await import("@keyhub/core/report");
  const first = readReport(reported, random);
  if (!first.asksProvider) return first;
  const answer = await database.callRpc("api_key_provider", { ...caller, ...key });
  return "problem" in answer ? answer : readReport(reported, random, answer.data as string | null);
}
