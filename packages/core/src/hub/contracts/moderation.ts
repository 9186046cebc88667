import * as z from "zod/mini";
import { assetType } from "./card.ts";

export const reportReason = z.enum(["spam", "inappropriate", "copyright", "malicious_code", "other"]);

export const reportOutcome = z.enum(["upheld", "dismissed"]);

/** The answer of hub_review_queue, for admins: listings that are hidden or have open reports. */
export const reviewQueue = z.array(
  z.strictObject({
    asset_id: z.guid(),
    asset_type: assetType,
    slug: z.string(),
    title: z.string(),
    creator_id: z.nullable(z.guid()),
    creator_username: z.nullable(z.string()),
    creator_banned: z.boolean(),
    is_public: z.boolean(),
    is_hidden: z.boolean(),
    hidden_reason: z.nullable(z.string()),
    hidden_at: z.nullable(z.string()),
    deleted_at: z.nullable(z.string()),
    current_version: z.int(),
    reviewed_version: z.nullable(z.int()),
    open_reports: z.int(),
    counting_reports: z.int(),
    reports: z.array(
      z.strictObject({
        id: z.guid(),
        reason: reportReason,
        details: z.nullable(z.string()),
        work_url: z.nullable(z.string()),
        work_holder: z.nullable(z.string()),
        version: z.nullable(z.int()),
        counts: z.boolean(),
        created_at: z.string(),
        reporter_id: z.nullable(z.guid()),
      }),
    ),
  }),
);

/** The answer of hub_my_decisions: the decisions of moderation about the caller and the caller's listings, newest first. */
export const decisions = z.array(
  z.strictObject({
    /** The id of the entry in the audit log. */
    id: z.int(),
    action: z.enum(["hidden", "removed", "banned"]),
    at: z.string(),
    /** The cause: `reports`, `moderator`, or the reason of an upheld report; null for a ban. */
    category: z.nullable(z.string()),
    /** An admin's message to the creator. */
    note: z.nullable(z.string()),
    /** The version of the listing that was current at the time of the decision; null for a ban. */
    version: z.nullable(z.int()),
    /** True if this decision is in force now; hub_appeal appeals the decision that is in force. */
    in_force: z.boolean(),
    asset_id: z.nullable(z.guid()),
    asset_type: z.nullable(assetType),
    title: z.nullable(z.string()),
    appeal: z.nullable(
      z.strictObject({
        id: z.guid(),
        state: z.enum(["open", "accepted", "rejected"]),
        body: z.string(),
        created_at: z.string(),
        answer: z.nullable(z.string()),
        resolved_at: z.nullable(z.string()),
      }),
    ),
  }),
);

/** The answer of hub_open_appeals, for admins: each open appeal with the decision that it is about. */
export const openAppeals = z.array(
  z.strictObject({
    id: z.guid(),
    created_at: z.string(),
    body: z.string(),
    action: z.enum(["hidden", "removed", "banned"]),
    decided_at: z.string(),
    category: z.nullable(z.string()),
    note: z.nullable(z.string()),
    version: z.nullable(z.int()),
    asset_id: z.nullable(z.guid()),
    asset_type: z.nullable(assetType),
    slug: z.nullable(z.string()),
    title: z.nullable(z.string()),
    user_id: z.guid(),
    username: z.nullable(z.string()),
  }),
);
