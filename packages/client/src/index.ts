export { createKeyhub, type Keyhub } from "./create.ts";
export { KeyhubError, KeyhubRequestError, KeyhubUnavailableError, NoKeyError } from "./errors.ts";
export type { KeyhubEvent, LostReport } from "./events.ts";
export type { CallOptions, Duration, FetchOptions, KeyhubOptions } from "./options.ts";
export type { Lease, ReportedFailure, ReportedOutcome } from "./public-lease.ts";
