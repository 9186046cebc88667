export type { Parsed } from "../faults.ts";
export type { Fault } from "../problem.ts";
export { type LeaseRequest, parseLeaseRequest } from "./lease-request.ts";
export { type Classified, classify, type Outcome } from "./outcome.ts";
export { POLICY, type Rule, type RuleArguments, ruleFor } from "./policy.ts";
export { type ReportArguments, readReport } from "./report.ts";
export { parseReportRequest, type ReportRequest, type Told } from "./report-request.ts";
export { parseRetryAfter, type RetryHint } from "./retry-after.ts";
