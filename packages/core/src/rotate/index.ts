export { EventErrors, REPORTED_CHARACTERS } from "./event-errors.ts";
export { Gatherer, type GatherPorts } from "./gather.ts";
export { type KeptBody, keepBody } from "./kept-body.ts";
export { KeyMask, masked, withoutKey } from "./key-mask.ts";
export {
  fitsHeader,
  KEY_HEADERS,
  type KeyHeader,
  putInHeader,
  putInQuery,
} from "./key-places.ts";
export { type LeaseAttempt, type LeasePorts, LeaseQueue, LeaseQueues } from "./lease-queue.ts";
export { KEPT_BYTES, modelName, modelOf } from "./model.ts";
export { isListed, PROVIDER_NAMES, providerNameOf, providerOf } from "./providers.ts";
export { backoff, type ReportPorts, type ReportResult, Reports, readReportAnswer } from "./reports.ts";
export { type ErrorResponse, readError, type WatchOptions, watchBody, withoutEcho } from "./response.ts";
export { retryAfter } from "./retry-after.ts";
export { MOST_CALLS, type RotateLimits } from "./retry-policy.ts";
export { Reuse, type ReuseLimits } from "./reuse.ts";
export {
  type Attempt,
  type LeaseOptions,
  type Rotated,
  type RotatePorts,
  rotate,
  unlessAborted,
} from "./rotate.ts";
export { isServerFault, mayRotate, rotates, statusOf } from "./rules.ts";
export { type Outgoing, type SendPorts, sendOnce, type Target } from "./send.ts";
export { failureOf } from "./thrown.ts";
export {
  CANCELLED,
  type Failure,
  type Outcome,
  type Report,
  type ReportAnswer,
  type RotationLease,
  type Sleep,
  SUCCESS,
  type WaitBudget,
} from "./types.ts";
export { parseUrl } from "./url.ts";
export { type Timers, waitBy } from "./wait.ts";
