import type { ReportArguments } from "@keyhub/core/report";
import type { Caller } from "./caller.ts";
import type { Database } from "./database.ts";
import type { Refusal } from "./http.ts";

/** What an agent tells of a call, with absent fields as null. */
interface Told {
  status: "success" | "fail";
  errorCode: number | string | null;
  errorMessage: string | null;
  retryAfter: number | string | null;
}

const SUCCESS: ReportArguments = { outcome: "success", rule: "success" };

/**
 * Reads a report, and asks for the provider of its key where that decides what the provider's answer means. `random` is in
 * [0, 1). The readers of providers' answers are loaded when the first failure comes: most reports are plain successes.
 */
export async function interpretReport(
  database: Database,
  caller: Caller,
  key: { lease_id?: string | undefined; key_id?: string | undefined },
  told: Told,
  random: number,
): Promise<{ report: ReportArguments } | Refusal> {
  if (told.status === "success" && told.retryAfter === null) return { report: SUCCESS };
  const { readReport } = await import("@keyhub/core/report");
  const first = readReport(told, random);
  if (!first.asksProvider) return first;
  const answer = await database.callRpc("api_key_provider", { ...caller, ...key });
  return "problem" in answer ? answer : readReport(told, random, answer.data as string | null);
}
