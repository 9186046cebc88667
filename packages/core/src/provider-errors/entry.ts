import { alternatives, phrases } from "./phrases.ts";
import type { AnswerEntry, FailureScope, Outcome, Subject } from "./types.ts";

/** The columns that each entry sets itself. " | " separates the members of a list. */
interface Row extends Pick<AnswerEntry, "statuses" | "form" | "window" | "dayOf"> {
  codes?: string;
  names?: string;
  phrases?: string;
  /** The scope of the entry, set only when it differs from the usual scope of the outcome. */
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

/** The source of entries that many providers share. */
export const SEEN = "answers of several providers; tests/fixtures/answers names each";

export const money = about("money", "quota_exhausted", "account");
/** A limit counts for its model, unless the answer states another scope (details.ts). */
export const limit = about("limit", "rate_limited", "model");
export const deadKey = about("key", "invalid_key", "key", true);
/** The provider does not accept the key, for a reason that may end: the key cools, and is not disabled. */
export const restingKey = about("key", "invalid_key", "key");
export const refusal = about("refusal", "refused", "key");
export const request = about("request", "caller_fault", "request");
export const failure = about("service", "server_error", null);
export const unreached = about("network", "unreachable", null);
const ofBetween = about("between", "intermediary", null);
/** Makes an entry for any status, because an intermediary can answer with any. */
export const between = (id: string, source: string, row: Row) =>
  ofBetween(id, source, { statuses: ALL, ...row });
const ALL = [0, 400, 401, 402, 403, 404, 408, 429, 499, 500] as const;
export const unknownCause = about("request", "unknown", null);
