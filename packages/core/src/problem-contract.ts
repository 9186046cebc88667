import * as z from "zod/mini";
import { assetType } from "./hub/contracts/card.ts";
import { bareTombstone, tombstone } from "./hub/contracts/listing.ts";
import { finding } from "./hub/contracts/scan.ts";
import { noKeyCounts, previousContract } from "./keys/contracts.ts";
import { type ProblemCode, problems } from "./problem.ts";

/** One element of the member `errors` of a problem. */
export const fault = z.strictObject({ path: z.string(), code: z.string(), message: z.string() });

const seconds = z.int().check(z.minimum(1));
const errors = z.optional(z.array(fault));
/** The result of the report in the member `previous` of a request for a key. */
const previous = z.optional(previousContract);

/** The members that some problems have in addition to the members of every problem. */
const MEMBERS: { [Code in ProblemCode]?: Record<string, z.ZodMiniType> } = {
  validation_failed: { errors: z.array(fault) },
  secret_detected: { errors: z.array(fault) },
  source_not_found: { errors },
  license_incompatible: { errors },
  organization_only: { errors },
  not_exportable: { errors },
  item_hidden: { errors },
  unknown_provider: { providers: z.array(z.string()), previous },
  upstream_not_configured: { providers: z.array(z.string()) },
  upstream_unreachable: { provider: z.string() },
  upstream_timeout: { provider: z.string() },
  keys_cooling_down: { retry_after: seconds, counts: noKeyCounts, previous },
  no_active_key: { counts: noKeyCounts, previous },
  unavailable: { previous },
  scan_confirmation_required: { findings: z.array(finding), scan_token: z.string() },
  modified_copy: {
    items: z.array(z.strictObject({ asset_type: assetType, hub_asset_id: z.guid(), title: z.string() })),
  },
  gone: { asset: z.union([tombstone, bareTombstone]) },
  duplicate_content: { slug: z.string() },
  limit_reached: { limit: z.enum(["workspace_rows", "workspace_bytes"]), most: z.int() },
  rate_limited: {
    limit: z.enum(["publications", "previews", "imports", "edits", "pictures", "checkouts"]),
    retry_after: seconds,
  },
};

/** Returns the contract of the problem with this code. Each of its members `type`, `status` and `code` has only one possible value. */
export function problemContract(code: ProblemCode) {
  const entry: { status: number; title: string; detail?: string } = problems[code];
  return z.strictObject({
    type: z.literal(`urn:keyhub:problem:${code}`),
    title: z.string(),
    status: z.literal(entry.status),
    ...(entry.detail !== undefined && { detail: z.string() }),
    code: z.literal(code),
    ...MEMBERS[code],
    // Only the gateway sends this member. OpenAI's SDK and similar SDKs show their users no other member of an error.
    error: z.optional(z.strictObject({ message: z.string(), type: z.string(), code: z.string() })),
    request_id: z.guid(),
  });
}
