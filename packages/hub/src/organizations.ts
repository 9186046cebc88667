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
  /** Owners may invite admins. */
  role?: "admin" | "member" | undefined;
  /** Only the account of this address can accept it. */
  email?: string | undefined;
  /** 1 to 90; 7 if left out. */
  days?: number | undefined;
  /** How many users can join by it: 1 to 1,000; 1 if left out, and for an address. */
  max_uses?: number | undefined;
}

/** A listing on a shelf of the caller. */
export interface SharedListing {
  id: string;
  slug: string;
  asset_type: AssetType;
  title: string;
  organization_id: string;
}

/** Teams that share listings among their members. Whoever is no member gets organization_not_found. */
export interface Organizations {
  mine(): Promise<OwnOrganizations>;
  /** `slug`: 3 to 40 small letters, digits and single hyphens; slug_taken when another one has it or looks like it. */
  create(name: string, slug: string): Promise<Organization>;
  /** For owners and admins; false for everybody else. */
  rename(organizationId: string, name: string): Promise<boolean>;
  /** What the organization shares, by the arguments of `search`; takes its slug. */
  shelf(slug: string, request?: SearchRequest): Promise<SearchPage>;
  /** Those of the given listings that are on a shelf of the caller, such as what the caller has starred; at most 100. */
  shared(assetIds: readonly string[]): Promise<SharedListing[]>;
  /** The members, the oldest first; at most 1,000. */
  members(organizationId: string): Promise<Member[]>;
  /** For owners. */
  setRole(organizationId: string, userId: string, role: OrganizationRole): Promise<void>;
  remove(organizationId: string, userId: string): Promise<void>;
  /** The last member closes the organization; the last owner among others gets last_owner. */
  leave(organizationId: string): Promise<void>;
  /** For owners and admins; the token is told this once. */
  invite(organizationId: string, options?: InvitationOptions): Promise<MadeInvitation>;
  /** For owners and admins. */
  invitations(organizationId: string): Promise<Invitations>;
  revokeInvitation(invitationId: string): Promise<void>;
  /** Whose invitation a token is; needs no account. */
  invitation(token: string): Promise<InvitationTo>;
  accept(token: string): Promise<Organization>;
  /** For owners and admins: what is reported or hidden on the shelf. */
  reviewQueue(organizationId: string): Promise<OrganizationQueue>;
  /** For owners and admins: keeps a listing and dismisses its reports, or hides it; its creator reads the note. */
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
      // Who is banned has no name.
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
    // Not by GET: the token stays out of addresses, which are logged.
    invitation: (token) => run("invitation", { token }),
    accept: (token) => run("accept_invitation", { token }),
    reviewQueue: (organization_id) => read("organization_review_queue", { organization_id }),
    review: (asset_id, keep, note) => run("organization_review", { asset_id, keep, note }),
  };
}
