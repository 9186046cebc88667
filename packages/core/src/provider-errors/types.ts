/** The meaning of a report for the key. The policy (keys/policy.ts) has a case for each outcome. */
export type Outcome =
  /** The call succeeded. */
  | "success"
  /** A rate limit: the same key works again after a wait. */
  | "rate_limited"
  /** Money, credits or the quota of a plan are used up: a short wait does not help. */
  | "quota_exhausted"
  /** The provider does not accept the key itself. */
  | "invalid_key"
  /** A refusal about model, address, region or permission: the key may be good. */
  | "refused"
  /** The provider failed or is overloaded. */
  | "server_error"
  /** No answer of the provider arrived. */
  | "unreachable"
  /** This request is wrong; every key would get the same answer. */
  | "caller_fault"
  /** A proxy, gateway or firewall answered instead of the provider: nothing is known about the key. */
  | "intermediary"
  /** The answer does not state the cause. */
  | "unknown";

/**
 * The part that an answer is about, and so the part that we stop using: only this request, one model of this key, the key, or
 * all keys of its account. Null when it is about none of them: success, overload, no answer, an intermediary, an unknown cause.
 */
export type FailureScope = "request" | "model" | "key" | "account" | null;

/** The period of a limit, after which its count starts anew. */
export type LimitWindow = "minute" | "hour" | "day" | "week" | "month";

/** The time zone (IANA) in which a provider begins a new day, at midnight. */
export type DayOf = "America/Los_Angeles" | "UTC";

/** The meaning of an answer, from which the policy chooses the change of the key. */
export interface Verdict {
  outcome: Outcome;
  /** The text states that the key itself is dead. */
  dead: boolean;
  /** The key is disabled: it is dead, or the provider refused it with a 403 that states no other reason. */
  disables: boolean;
  scope: FailureScope;
  /** The period of a limit, if the answer states it. */
  window?: LimitWindow;
  /** The zone at whose midnight a limit of a day ends, if it is known. */
  dayOf?: DayOf;
}

/** A provider's error, read from any form in which callers report it. Text is in lower case. */
export interface ProviderError {
  /** HTTP status that the caller reported, or else the one that the text states; 0 when there is none. */
  status: number;
  /** The form of the text: empty, a page, with fields (JSON or a Python literal), or words only. */
  form: "none" | "html" | "fields" | "text";
  /**
   * Identifiers in the body's envelope and in error_code: types, codes, reasons. Numbers and numeric strings have the name of
   * their field and its container ("error.code:1302"), since providers use the same numbers for different things.
   */
  codes: ReadonlySet<string>;
  /**
   * The words of the identifiers in `codes`, without known names and exception classes in error_code: "RateLimitExceeded",
   * "rate-limit_exceeded" and "RATE_LIMIT.EXCEEDED" are "rate limit exceeded".
   */
  names: string;
  /** The body's messages, or the whole text if the body has no fields. Single blanks replace other white space and underscores. */
  message: string;
}

/** The thing that an entry's answers are about; "between" is an intermediary. */
export type Subject = "request" | "limit" | "money" | "key" | "refusal" | "service" | "network" | "between";

/** One entry of the table. It gives its meaning (outcome, scope …) to every answer that has one of its codes, names or phrases. */
export interface AnswerEntry {
  id: string;
  /**
   * The entry applies only to these classes of status (classify.ts). An entry without this member applies to any status that can be about
   * the key, and to any body with fields.
   */
  statuses?: readonly StatusClass[];
  /** The entry applies only to answers of this form. */
  form?: ProviderError["form"];
  /** Identifiers that are compared as a whole. */
  codes?: readonly string[];
  /** A pattern of words in an identifier (entry.ts). */
  names?: RegExp;
  /** A pattern of words in an identifier, or in the part of the message that classify.ts reads. */
  phrases?: RegExp;
  subject: Subject;
  outcome: Outcome;
  dead?: boolean;
  scope: FailureScope;
  window?: LimitWindow;
  dayOf?: DayOf;
  /** The place where such an answer is documented or was seen. */
  source: string;
}

/** A status that represents all similar ones: 0 for none, 400 also for other 4xx, 404 also for 405 and the like, 500 for all 5xx. */
export type StatusClass = 0 | 400 | 401 | 402 | 403 | 404 | 408 | 429 | 499 | 500;
