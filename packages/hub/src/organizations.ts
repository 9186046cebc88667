import type {
  AssetType,
  Invitations,
  InvitationTo,
  MadeInvitation,
  Organization,
  OrganizationQueue,
  OrganizationRole,
  OwnOrganizations,
  SearchPage,
  SearchRequest,
} from "./answers.ts";
import type { HubCalls } from "./calls.ts";

export interface Member {
  user_id: string;
  role: OrganizationRole;
  created_at: string;
  username: string | null;
  display_name: string | null;
}

export interface InvitationOptions {
  /** Only owners may invite admins. */
  role?: "admin" | "member" | undefined;
  /** If set, only the account with this address can accept the invitation. */
  email?: string | undefined;
  /** Days until the invitation expires: 1 to 90, by default 7. */
  days?: number | undefined;
  /** How many users can join with the invitation: 1 to 1,000, by default 1; always 1 with an email. */
  max_uses?: number | undefined;
}

/** A listing on the shelf of one of the caller's organizations. */
export interface SharedListing {
  id: string;
  slug: string;
  asset_type: AssetType;
  title: string;
  organization_id: string;
}

/** Teams that share listings among their members. Anybody who is not a member gets organization_not_found. */
export interface Organizations {
  mine(): Promise<OwnOrganizations>;
  /**
   * Creates an organization. `slug`: 3 to 40 small letters, digits and single hyphens. Fails with slug_taken if another organization has
   * this slug or one that looks like it.
   */
  create(name: string, slug: string): Promise<Organization>;
  /** Renames an organization. For owners and admins; returns false for other callers. */
  rename(organizationId: string, name: string): Promise<boolean>;
  /** Returns the listings on the shelf of the organization with this slug. `request` has the same arguments as in `search`. */
  shelf(slug: string, request?: SearchRequest): Promise<SearchPage>;
  /** Returns those of the given listings (at most 100, for example the starred ones) that are on a shelf of the caller's organizations. */
  shared(assetIds: readonly string[]): Promise<SharedListing[]>;
  /** Returns the members, the oldest first; at most 1,000. */
  members(organizationId: string): Promise<Member[]>;
  /** Changes a member's role. For owners. */
  setRole(organizationId: string, userId: string, role: OrganizationRole): Promise<void>;
  remove(organizationId: string, userId: string): Promise<void>;
  /** Leaves an organization. If no member stays, it is closed. The last owner gets the error last_owner while there are other members. */
  leave(organizationId: string): Promise<void>;
  /** Makes an invitation. For owners and admins. Only this answer contains the token. */
  invite(organizationId: string, options?: InvitationOptions): Promise<MadeInvitation>;
  /** Returns the newest 200 invitations. For owners and admins. */
  invitations(organizationId: string): Promise<Invitations>;
  revokeInvitation(invitationId: string): Promise<void>;
  /** Returns the organization that a token invites to. Needs no account. */
  invitation(token: string): Promise<InvitationTo>;
  accept(token: string): Promise<Organization>;
  /** Returns the reported or hidden listings of the shelf. For owners and admins. */
  reviewQueue(organizationId: string): Promise<OrganizationQueue>;
  /** With `keep`, dismisses the reports on a listing; else hides the listing. For owners and admins; the creator reads the note. */
  review(assetId: string, keep: boolean, note?: string): Promise<void>;
}

interface MemberRow extends Omit<Member, "username" | "display_name"> {
  hub_profiles: { username: string; display_name: string | null } | null;
}

export function organizationsOf({ read, rows, run }: HubCalls): Organizations {
  return {
    mine: () => read("my_organizations"),
    create: (name, slug) => run("create_organization", { name, slug }),
    rename: async (id, name) => {
      const changed = await rows<unknown[]>({
        ...{ table: "organizations", method: "update", columns: "id", where: { id }, row: { name } },
      });
      return changed.length > 0;
    },
    shelf: (organization, request = {}) => read("hub_shelf", { organization, ...request }),
    shared: (id) =>
      rows({
        ...{ table: "hub_assets", method: "select", columns: "id,slug,asset_type,title,organization_id" },
        where: { id, is_shared: "true" },
      }),
    members: async (organization_id) => {
      const found = await rows<MemberRow[]>({
        ...{ table: "organization_members", method: "select", where: { organization_id } },
        columns: "user_id,role,created_at,hub_profiles(username,display_name)",
        order: { column: "created_at", ascending: true },
      });
      // The caller cannot read the profile of a banned member, so the names are null.
      return found.map(({ hub_profiles: profile, ...member }) => ({
        ...member,
        username: profile?.username ?? null,
        display_name: profile?.display_name ?? null,
      }));
    },
    setRole: (organization_id, user_id, role) => run("set_member_role", { organization_id, user_id, role }),
    remove: (organization_id, user_id) => run("remove_member", { organization_id, user_id }),
    leave: (organization_id) => run("leave_organization", { organization_id }),
    invite: (organization_id, options = {}) => run("invite_member", { organization_id, ...options }),
    invitations: (organization_id) => read("organization_invitations", { organization_id }),
    revokeInvitation: (invitation_id) => run("revoke_invitation", { invitation_id }),
    // POST instead of GET keeps the token out of addresses, which are logged.
    invitation: (token) => run("invitation", { token }),
    accept: (token) => run("accept_invitation", { token }),
    reviewQueue: (organization_id) => read("organization_review_queue", { organization_id }),
    review: (asset_id, keep, note) => run("organization_review", { asset_id, keep, note }),
  };
}
