import * as z from "zod/mini";
import { assetType } from "./card.ts";

export const reportReason = z.enum(["spam", "inappropriate", "copyright", "malicious_code", "other"]);

export const reportOutcome = z.enum(["upheld", "dismissed"]);

/** hub_review_queue. */
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
        version: z.nullable(z.int()),
        counts: z.boolean(),
        created_at: z.string(),
        reporter_id: z.nullable(z.guid()),
      }),
    ),
  }),
);
