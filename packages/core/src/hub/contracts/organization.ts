import * as z from "zod/mini";
import { assetType, creator } from "./card.ts";
import { reportReason } from "./moderation.ts";

/** The answer of create_organization and accept_invitation, and the organization of a shared listing. */
export const organization = z.strictObject({ id: z.guid(), slug: z.string(), name: z.string() });

export const organizationRole = z.enum(["owner", "admin", "member"]);

/** The answer of my_organizations: the caller's organizations, with the caller's role and the number of members. */
export const ownOrganizations = z.array(
  z.extend(organization, { role: organizationRole, since: z.string(), members: z.int() }),
);

/** The answer of the RPC `invitation`: the organization's name, for anybody who has the link. */
export const invitationTo = z.strictObject({ name: z.string() });

/** The answer of invite_member. Only this answer contains the token. */
export const madeInvitation = z.strictObject({ id: z.guid(), token: z.string(), expires_at: z.string() });

/** The answer of organization_invitations. The token of an invitation cannot be read again. */
export const invitations = z.array(
  z.strictObject({
    id: z.guid(),
    role: z.enum(["admin", "member"]),
    for_address: z.boolean(),
    invited_by: z.nullable(z.string()),
    created_at: z.string(),
    expires_at: z.string(),
    max_uses: z.int(),
    used: z.int(),
    live: z.boolean(),
  }),
);

/** The answer of organization_review_queue: listings on the shelf that are reported or hidden. */
export const organizationQueue = z.array(
  z.strictObject({
    asset_id: z.guid(),
    asset_type: assetType,
    slug: z.string(),
    title: z.string(),
    creator: z.nullable(creator),
    is_hidden: z.boolean(),
    hidden_reason: z.nullable(z.string()),
    open_reports: z.int(),
    reports: z.array(
      z.strictObject({
        reason: reportReason,
        details: z.nullable(z.string()),
        version: z.int(),
        created_at: z.string(),
      }),
    ),
  }),
);
