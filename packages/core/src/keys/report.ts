import { classify } from "./answers/classify.ts";
import { readWait } from "./answers/hints.ts";
import type { Outcome } from "./answers/types.ts";
import { type TransitionArguments, transitionFor } from "./policy.ts";
import type { ReportFields } from "./report-request.ts";

/** A classified report: the argument `report` of report_api_key. */
export interface ReportArguments extends TransitionArguments {
  outcome: Outcome;
  error_code?: string;
  /** The report gave a wait, readable or not: then the answer has `hint`. */
  hint_given?: true;
}

/** `dependsOnProvider`: the key's provider was not given and could change the result. */
export interface ReadReport {
  report: ReportArguments;
  dependsOnProvider: boolean;
}

/**
 * Classifies an agent's report: outcome, wait, rule. `random` is in [0, 1), for the jitter of cooldowns. `provider` is the key's
 * (null = any); undefined when it is not known yet.
 */
export function readReport(fields: ReportFields, random: number, provider?: string | null): ReadReport {
  const classified = classify(fields, provider);
  const text = fields.status === "success" ? null : fields.errorMessage;
  const { hint, stated, dependsOnProvider } = readWait(fields.retryAfter, text, provider);
  const report: ReportArguments = {
    outcome: classified.outcome,
    ...(classified.code !== null && { error_code: classified.code }),
    ...(stated && { hint_given: true }),
    ...transitionFor(classified, hint, random),
  };
  return {
    report,
    dependsOnProvider: classified.dependsOnProvider || (dependsOnProvider && report.rule !== "ignore"),
  };
}
