import { classify, type Outcome } from "./outcome.ts";
import { type RuleArguments, ruleFor } from "./policy.ts";
import type { Told } from "./report-request.ts";
import { parseRetryAfter } from "./retry-after.ts";

/** What a report comes to: the part of report_api_key's arguments that is read from what the agent told. */
export interface ReportArguments extends RuleArguments {
  outcome: Outcome;
  error_code?: string;
  /** A wait was named, whether it can be read or not: the answer says what became of it. */
  hint_given?: true;
}

/** Reads what an agent tells of a call: class, hint, rule. `random` is in [0, 1), for the spread of cooldowns. */
export function readReport(
  { status, errorCode, errorMessage, retryAfter }: Told,
  random: number,
): ReportArguments {
  const classified = classify(status, errorCode, errorMessage);
  const hint = parseRetryAfter(retryAfter);
  return {
    outcome: classified.outcome,
    ...(classified.code !== null && { error_code: classified.code }),
    ...((retryAfter !== null || hint !== null) && { hint_given: true }),
    ...ruleFor(classified, hint, random),
  };
}
