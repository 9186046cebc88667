export type { Parsed } from "../faults.ts";
export type { Fault } from "../problem.ts";
export { type Classified, classify, type Report } from "./answers/classify.ts";
export { readWait, type Wait } from "./answers/hints.ts";
export type { Outcome } from "./answers/types.ts";
export { type LeaseRequest, parseLeaseRequest } from "./lease-request.ts";
export { POLICY, type Rule, type RuleArguments, ruleFor } from "./policy.ts";
export { parseReportRequest, type ReportRequest } from "./report-request.ts";
export { parseRetryAfter, type RetryHint } from "./retry-after.ts";
