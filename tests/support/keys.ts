/** Exports the calls of the key service for tests of SQL. Each kind of action on a pool has its own file. */
export { passPoolTime, passTime } from "./keys/clock.ts";
export { backoff, type Health, health, secondsLeft } from "./keys/health.ts";
export {
  askOnce,
  type LeasedKey,
  type LeaseOptions,
  lease,
  leaseMany,
  type NoKey,
  type Retry,
  tryLease,
} from "./keys/lease.ts";
export { blockModel, limitModel } from "./keys/models.ts";
export {
  addAgent,
  addKey,
  envelope,
  type KeyOptions,
  makeUser,
  pair,
  raiseLowWaterMarks,
} from "./keys/pool.ts";
export {
  type Reported,
  type ReportOptions,
  report,
  reportAndLease,
  reportMany,
} from "./keys/report.ts";
export { callWithRetries, retried } from "./keys/retry.ts";
