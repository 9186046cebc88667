export { type ErrorAnswer, readError, type Watch, watchBody, withoutEcho } from "./answer.ts";
export { EventErrors, TOLD_CHARACTERS } from "./event-errors.ts";
export { Gatherer, type GatherPorts } from "./gather.ts";
export {
  fitsHeader,
  KEY_HEADERS,
  type KeyHeader,
  putInHeader,
  putInQuery,
} from "./key-places.ts";
export { type Asked, type LeasePorts, LeaseQueue } from "./lease-queue.ts";
export { isListed, providerOf } from "./providers.ts";
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
export { KeyMask, withoutKey } from "./key-mask.ts";
export { type Outgoing, type SendPorts, sendOnce, type Target } from "./send.ts";
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
export { parseUrl } from "./url.ts";
export { type Timers, waitBy } from "./wait.ts";
