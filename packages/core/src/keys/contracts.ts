import * as z from "zod/mini";
import type { Outcome } from "../provider-errors/types.ts";

/*
 * The answers of the key functions with status 2xx. The OpenAPI document is made from these contracts, and tests
 * check every answer against them. No function loads this file, because a function does not parse its own answers.
 */

const time = z.iso.datetime({ offset: true });
const count = z.int().check(z.minimum(0));

const OUTCOMES = [
  "success",
  "rate_limited",
  "quota_exhausted",
  "invalid_key",
  "refused",
  "server_error",
  "unreachable",
  "caller_fault",
  "intermediary",
  "unknown",
] as const satisfies readonly Outcome[];

export const reportContract = z.strictObject({
  key_id: z.guid(),
  state: z.enum(["available", "cooling_down", "disabled"]),
  blocked_until: z.nullable(time),
  consecutive_failures: count,
  outcome: z.enum(OUTCOMES),
  effect: z.enum(["cooled", "disabled", "recovered", "none", "ignored", "stale", "duplicate", "lifted"]),
  scope: z.nullable(z.enum(["request", "model", "key", "account"])),
  model: z.nullable(z.string()),
  hint: z.optional(z.enum(["used", "capped", "ignored"])),
});

/** The problem of a refused report in an answer that still leases a key. It is only a part of that answer, so it has no request id. */
export const refusedReportContract = z.strictObject({
  problem: z.strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.enum(["lease_not_found", "already_reported"]),
  }),
});

export const previousContract = z.union([reportContract, refusedReportContract]);

export const leaseContract = z.strictObject({
  lease_id: z.guid(),
  key_id: z.guid(),
  key_name: z.string(),
  provider: z.nullable(z.string()),
  model: z.nullable(z.string()),
  api_key: z.string(),
  priority: z.int(),
  leased_at: time,
  settings: z.strictObject({
    base_url: z.optional(z.string()),
    organization: z.optional(z.string()),
    project: z.optional(z.string()),
  }),
  previous: z.optional(previousContract),
});

/** How many keys of the pool cannot be leased now, by reason. */
export const noKeyCounts = z.strictObject({ cooling_down: count, limited: count, disabled: count });
