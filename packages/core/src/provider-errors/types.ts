/** What a report means for the key. Each is one row of the policy (keys/policy.ts). */
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
 * What an answer is about, and so what is stopped: this request only; one model of this key; the key; or all keys of its account.
 * Null where it says nothing about any of them: a success, an overload, no answer, an intermediary, an unknown cause.
 */
export type FailureScope = "request" | "model" | "key" | "account" | null;

/** The period that a limit counts. */
export type LimitWindow = "minute" | "hour" | "day" | "week" | "month";

/** Where a provider begins a new day: its time zone (IANA), at midnight. */
export type DayOf = "America/Los_Angeles" | "UTC";

/** The meaning of an answer. */
export interface Verdict {
  outcome: Outcome;
  /** The text states that the key itself is dead. */
  dead: boolean;
  /** The key is disabled: it is dead, or the provider refused it with a 403 that states no other reason. */
  disables: boolean;
  scope: FailureScope;
  /** The period of a limit, where the answer tells it. */
  window?: LimitWindow;
  /** The zone in whose midnight the limit of a day ends, where that is known. */
  dayOf?: DayOf;
  /** The model that the answer names as the limited one, as `get-active-key` writes it. */
  model?: string;
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
  /** The words of those identifiers: "RateLimitExceeded", "rate-limit_exceeded" and "RATE_LIMIT.EXCEEDED" are "rate limit exceeded". */
  names: string;
  /** The body's messages, or the whole text where the body has no fields: single blanks, also for underscores. */
  message: string;
}

/** What a line of the table is about. */
export type Subject = "request" | "limit" | "money" | "key" | "refusal" | "service" | "network" | "between";

/** One line of the table: an answer that has one of its codes, names or phrases means this. */
export interface AnswerEntry {
  id: string;
  /** Only with these classes of a status (classify.ts); otherwise any status that can be about the key, or any body with fields. */
  statuses?: readonly StatusClass[];
  /** Only an answer of this form. */
  form?: ProviderError["form"];
  /** Whole identifiers. */
  codes?: readonly string[];
  /** Words that an identifier has (phrases.ts). */
  names?: RegExp;
  /** Words that an identifier or the beginning of the message has (phrases.ts). */
  phrases?: RegExp;
  subject: Subject;
  outcome: Outcome;
  dead?: boolean;
  scope: FailureScope;
  window?: LimitWindow;
  dayOf?: DayOf;
  /** Where such an answer is documented or was seen. */
  source: string;
}

/** A status, or the one that stands for its like: 0 none, 400 also other 4xx, 404 also 405 and its like, 500 all 5xx. */
export type StatusClass = 0 | 400 | 401 | 402 | 403 | 404 | 408 | 429 | 499 | 500;
