import { classify, type FailureScope, type Outcome, readWait } from "../provider-errors/index.ts";
import { type TransitionArguments, transitionFor } from "./policy.ts";
import type { ReportFields } from "./report-request.ts";

/** A classified report: the argument `report` of report_api_key. */
export interface ReportArguments extends TransitionArguments {
  outcome: Outcome;
  error_code?: string;
  /** The report gave a wait, readable or not: then the answer has `hint`. */
  hint_given?: true;
  /** What the answer is about, where it says so. */
  scope?: Exclude<FailureScope, null>;
  /** The model that the reporter gave. */
  model?: string;
  /** The model that the answer names, for a lease and a report without one. */
  named_model?: string;
  /** The text states that the key is dead. */
  dead?: true;
  /** An earlier lease of the caller that had the same answer on another key. */
  same_answer_as?: string;
}

/**
 * Classifies an agent's report: outcome, what it is about, wait, rule. `random` is in [0, 1), for the jitter of cooldowns; `now` in
 * milliseconds since the epoch.
 */
export function readReport(
  fields: ReportFields & { model?: string | null; sameAnswerAs?: string | null },
  random: number,
  now: number = Date.now(),
): ReportArguments {
  const verdict = classify(fields);
  const { outcome, code, scope, model, window } = verdict;
  const text = fields.status === "success" ? null : fields.errorMessage;
  const isLong = outcome === "quota_exhausted" || (window !== undefined && window !== "minute");
  const { hint, stated } = readWait(fields.retryAfter, text, isLong);
  return {
    outcome,
    ...(code !== null && { error_code: code }),
    ...(stated && { hint_given: true }),
    ...(scope !== null && { scope }),
    ...(typeof fields.model === "string" && { model: fields.model }),
    ...(model !== undefined && { named_model: model }),
    ...(verdict.dead && { dead: true }),
    ...(typeof fields.sameAnswerAs === "string" && { same_answer_as: fields.sameAnswerAs }),
    ...transitionFor(verdict, hint, random, now),
  };
}
