export type { Parsed } from "../faults.ts";
export type { Fault } from "../problem.ts";
export {
  type Classified,
  classify,
  type FailureScope,
  type Outcome,
  type ReportedCall,
  type RetryHint,
  readRetryAfter,
  readWait,
  type StatedWait,
  type Verdict,
} from "../provider-errors/index.ts";
export { type Cause, POLICY, type Transition, type TransitionArguments, transitionFor } from "./policy.ts";
export { type ReportArguments, readReport } from "./report.ts";
export {
  type LeaseRequest,
  parseLeaseRequest,
  parseReportRequest,
  type ReportFields,
  type ReportRequest,
} from "./requests.ts";
