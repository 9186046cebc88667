import { type ReportArguments, readReport } from "@keyhub/core/report";
import type { Caller } from "./caller.ts";
import type { Database } from "./database.ts";
import type { Refusal } from "./http.ts";

/** What an agent tells of a call, as core reads it. */
type Told = Parameters<typeof readReport>[0];

/** Reads a report, and asks for the provider of its key where that decides what the provider's answer means. */
export async function interpretReport(
  database: Database,
  caller: Caller,
  key: { lease_id?: string | undefined; key_id?: string | undefined },
  told: Told,
  random: number,
): Promise<{ report: ReportArguments } | Refusal> {
  const first = readReport(told, random);
  if (!first.asksProvider) return first;
  const answer = await database.callRpc("api_key_provider", { ...caller, ...key });
  return "problem" in answer ? answer : readReport(told, random, answer.data as string | null);
}
