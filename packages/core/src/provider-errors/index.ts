export { type Classified, classify, type ReportedCall } from "./classify.ts";
export type { DayOf, FailureScope, LimitWindow, Outcome, Verdict } from "./types.ts";
export type { RetryHint } from "./waits.ts";
export { readRetryAfter, readWait, type StatedWait } from "./waits.ts";
