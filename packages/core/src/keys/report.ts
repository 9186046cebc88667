import { classify, type FailureScope, type Outcome, readWait } from "../provider-errors/index.ts";
import { type TransitionArguments, transitionFor } from "./policy.ts";
import type { ReportFields } from "./requests.ts";

/** A report with its outcome and its transition (`rule`), as report_api_key gets it in the argument `report`. */
export interface ReportArguments extends TransitionArguments {
  outcome: Outcome;
  error_code?: string;
  /** The report contains a wait, even one that cannot be used. Then the answer has the member `hint`. */
  hint_given?: true;
  /** The part that the provider's answer is about: request, model, key or account. Absent if the answer is about none of them. */
  scope?: Exclude<FailureScope, null>;
  /** The model that the caller reported. */
  model?: string;
  /** The provider's text states that the key is dead. */
  dead?: true;
  /** The id of an earlier lease of another key by the same caller. The provider gave the same answer for that key. */
  same_answer_as?: string;
}

/**
 * Classifies an agent's report: outcome, scope, wait and transition. `random` in [0, 1) is for the
 * jitter of cooldowns; `now` is in milliseconds since the epoch.
 */
export function readReport(
  fields: ReportFields & { model?: string | null; sameAnswerAs?: string | null },
  random: number,
  now: number = Date.now(),
): ReportArguments {
  const verdict = classify(fields);
  const { outcome, code, scope, window } = verdict;
  const text = fields.status === "success" ? null : fields.errorMessage;
  const isLong = outcome === "quota_exhausted" || (window !== undefined && window !== "minute");
  const { hint, stated } = readWait(fields.retryAfter, text, isLong);
  return {
    outcome,
    ...(code !== null && { error_code: code }),
    ...(stated && { hint_given: true }),
    ...(scope !== null && { scope }),
    ...(typeof fields.model === "string" && { model: fields.model }),
    ...(verdict.dead && { dead: true }),
    ...(typeof fields.sameAnswerAs === "string" && { same_answer_as: fields.sameAnswerAs }),
    ...transitionFor(verdict, hint, random, now),
  };
}
