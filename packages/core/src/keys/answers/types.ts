/** What a report means for the key. Each is one row of the policy (policy.ts). */
export type Outcome =
  /** The call succeeded. */
  | "success"
  /** A rate limit: the same key works again after a wait. */
  | "rate_limited"
  /** Money, credits or the quota of a plan are used up: a short wait does not help. */
  | "quota_exhausted"
  /** The provider does not accept the key itself. */
  | "invalid_key"
  /** A refusal about organization, project, address, region, model or permission: the key may be good. */
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

/** The meaning of an answer: the outcome, and for an invalid key whether it is disabled (`dead`) or cools down. */
export interface Verdict {
  outcome: Outcome;
  /** The provider states that the key itself is dead, so the key is disabled. */
  dead: boolean;
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
  identifierWords: string;
  /** The body's messages, or the whole text where the body has no fields. White space is single blanks. */
  message: string;
  /** The message with blanks for underscores, so that an identifier in it becomes words. */
  messageWords: string;
}

/** One line of a reader: its conditions, and their meaning. Every condition that is set must hold. */
export interface ReaderRule {
  /** One of these identifiers is in the body or in error_code. */
  code?: readonly string[];
  /** One of these phrases is in the message; " … " stands for at most 80 characters between two parts. */
  phrase?: readonly string[];
  /** The message matches, with blanks for underscores; every repeat in it is bounded. */
  pattern?: RegExp;
  /** The words of the identifiers match. */
  identifierWords?: RegExp;
  /** The phrase or pattern is at the beginning of the message, not in parts of the request that a body repeats. */
  early?: true;
  /** The status is one of these. */
  status?: readonly number[];
  /** The text has this form. */
  form?: ProviderError["form"];
  outcome: Outcome;
  dead?: true;
  /** Where such an answer is documented or was seen. */
  source: string;
}

/** How the answers of one provider are read. */
export interface Reader {
  /** Names that operators use for the provider (`user_api_keys.provider`). */
  providers: readonly string[];
  /** Rules that apply to keys of any provider: only this provider uses their words. First match wins. */
  rules: readonly ReaderRule[];
  /** Rules for keys of this provider only, since other providers use the same words with another meaning. */
  onlyThisProvider?: readonly ReaderRule[];
  /** The provider sends `retry-after-ms`: a large whole number without a unit is milliseconds. */
  sendsMilliseconds?: true;
}
