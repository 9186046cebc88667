import { alternatives, phrases } from "./phrases.ts";
import type { AnswerEntry, FailureScope, Outcome, Subject } from "./types.ts";

/** The columns of an entry that are its own. Lists are written with " | " between their members. */
interface Row extends Pick<AnswerEntry, "statuses" | "form" | "window" | "dayOf"> {
  codes?: string;
  names?: string;
  phrases?: string;
  /** Where it is not the usual one of the outcome. */
  scope?: FailureScope;
}

/** Makes entries of one subject, outcome and scope. */
const about =
  (subject: Subject, outcome: Outcome, usualScope: FailureScope, dead = false) =>
  (
    id: string,
    source: string,
    { codes, names, phrases: said, scope = usualScope, ...columns }: Row,
  ): AnswerEntry => ({
    id,
    source,
    subject,
    outcome,
    scope,
    ...(dead && { dead }),
    ...columns,
    ...(codes !== undefined && { codes: alternatives(codes) }),
    ...(names !== undefined && { names: phrases(names) }),
    ...(said !== undefined && { phrases: phrases(said) }),
  });

/** A source where many providers say the same. */
export const SEEN = "answers of several providers; tests/fixtures/answers names each";

export const money = about("money", "quota_exhausted", "account");
/** A limit is its model's, unless the answer tells whose else (details.ts). */
export const limit = about("limit", "rate_limited", "model");
export const deadKey = about("key", "invalid_key", "key", true);
/** A key that was not accepted, for a reason that may end: it rests. */
export const restingKey = about("key", "invalid_key", "key");
export const refusal = about("refusal", "refused", "key");
export const request = about("request", "caller_fault", "request");
export const failure = about("service", "server_error", null);
export const unreached = about("network", "unreachable", null);
const ofBetween = about("between", "intermediary", null);
/** An intermediary answers with any status. */
export const between = (id: string, source: string, row: Row) =>
  ofBetween(id, source, { statuses: ALL, ...row });
const ALL = [0, 400, 401, 402, 403, 404, 408, 429, 499, 500] as const;
export const unknownCause = about("request", "unknown", null);
