export { createKeyhub, type Keyhub } from "./create.ts";
export { KeyhubError, KeyhubRequestError, KeyhubUnavailableError, NoKeyError } from "./errors.ts";
export type { KeyhubEvent, LostReport } from "./events.ts";
export type { Lease, ReportedOutcome } from "./held-lease.ts";
export type { CallOptions, Duration, FetchOptions, KeyhubOptions } from "./options.ts";
