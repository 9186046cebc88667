export { EventErrors, TOLD_CHARACTERS } from "./event-errors.ts";
export { type Asked, type LeasePorts, LeaseQueue } from "./lease-queue.ts";
export { backoff, type ReportPorts, Reports, type Sent } from "./reports.ts";
export { Reuse, type ReuseLimits } from "./reuse.ts";
export {
  type Answer,
  type Rotated,
  type RotateLimits,
  type RotatePorts,
  rotate,
  unlessAborted,
  type Want,
} from "./rotate.ts";
export { mayRotate, rotates, statusOf } from "./rules.ts";
export { failureOf, retryAfter } from "./thrown.ts";
export {
  type Budget,
  CANCELLED,
  type Failure,
  type Leased,
  type Outcome,
  SUCCESS,
  type Told,
  type Wait,
} from "./types.ts";
