import type { AssetType, Decisions, License, Lineage, ReportReason, RestoredCopy } from "./answers.ts";
import type { HubCalls } from "./calls.ts";
import { HubError } from "./error.ts";
import { problemFrom } from "./problem.ts";

/** The fields of a listing that its creator may change without a new version. */
export interface ListingChange {
  title?: string;
  description?: string;
  tags?: readonly string[];
  thumbnail_url?: string | null;
}

/** A listing as its creator sees it, even while nobody else can see it. */
export interface OwnListing {
  id: string;
  asset_type: AssetType;
  /** The workspace row from which the listing was published. The row may have been deleted since. */
  ref_id: string;
  slug: string;
  title: string;
  description: string | null;
  tags: string[];
  thumbnail_url: string | null;
  picture: string | null;
  license: License;
  price_cents: number;
  teaser: string | null;
  current_version: number;
  /** The organization in which the listing is shared or was shared last; null if the listing is for everybody. */
  organization_id: string | null;
  is_public: boolean;
  /** Whether the listing is on the shelf of its organization. */
  is_shared: boolean;
  is_hidden: boolean;
  hidden_by_ban: boolean;
  hidden_reason: string | null;
  install_count: number;
  star_count: number;
}

const OWN_COLUMNS =
  "id,asset_type,ref_id,slug,title,description,tags,thumbnail_url,picture,license,price_cents,teaser,current_version,organization_id,is_public,is_shared,is_hidden,hidden_by_ban,hidden_reason,install_count,star_count";

/** A copy of a listing in the caller's workspace. */
export interface OwnCopy {
  asset_type: AssetType;
  /** The row of the workspace. It may have been deleted since. */
  ref_id: string;
}

/** The row of hub_assets for a workspace item that was imported or published. */
export interface OwnRecord {
  /** The id for `updateCopy`, `pin` and `restoreCopy`. */
  id: string;
  asset_type: AssetType;
  /** The row of the workspace. It may have been deleted since. */
  ref_id: string;
  description: string | null;
  tags: string[];
  pinned_version: number | null;
  /** The works from which the item was imported or remixed. */
  attribution: Lineage | null;
}

const RECORD_COLUMNS = "id,asset_type,ref_id,description,tags,pinned_version,attribution";

/** The creator's notes about a version. */
export interface VersionNotes {
  label?: string | null;
  changelog?: string | null;
}

/** The data of a user that others see. */
export interface Profile {
  username: string;
  display_name: string | null;
  avatar_url: string | null;
}

export type ProfileChange = Partial<Profile>;

const PROFILE_COLUMNS = "username,display_name,avatar_url";

/** The work that a listing copies without permission. */
export interface Work {
  /** An https address. */
  url?: string | undefined;
  /** The holder of the rights. */
  holder?: string | undefined;
}

export interface Acting {
  /** Stars a listing. Calling it again changes nothing: each user has one star. */
  star(assetId: string): Promise<void>;
  unstar(assetId: string): Promise<void>;
  /** Returns the ids of at most 1,000 listings that the caller has starred. With `assetIds`, returns only ids from this list. */
  starred(assetIds?: readonly string[]): Promise<string[]>;
  /** Follows the creator with this user name. Calling it again changes nothing. A user can follow at most 1,000 creators. */
  follow(username: string): Promise<void>;
  unfollow(username: string): Promise<void>;
  /** Returns the user names of creators whom the caller follows, the newest first. */
  followed(): Promise<string[]>;
  /** Reports a listing. The reason `other` requires `details`; a report for copyright may name the work that was copied. */
  report(assetId: string, reason: "copyright", details?: string, work?: Work): Promise<void>;
  report(assetId: string, reason: Exclude<ReportReason, "other">, details?: string): Promise<void>;
  report(assetId: string, reason: "other", details: string): Promise<void>;
  /** Returns the listings that the caller has published and not deleted, the newest first; at most 1,000. Takes the caller's user id. */
  ownListings(userId: string): Promise<OwnListing[]>;
  /** Returns the caller's copies of a listing, the newest first, including the items of a kit. Takes the caller's user id. */
  ownCopies(userId: string, assetId: string): Promise<OwnCopy[]>;
  /** Returns the records of the caller's items, or of the workspace row `refId`; at most 1,000. Takes the caller's user id. */
  ownRecords(userId: string, refId?: string): Promise<OwnRecord[]>;
  /** Changes a listing of the caller. Returns false if the caller has no such listing. */
  editListing(assetId: string, change: ListingChange): Promise<boolean>;
  unpublish(assetId: string): Promise<void>;
  republish(assetId: string): Promise<void>;
  /** Replaces both notes of a version: a note that is left out or null is removed. */
  editVersion(assetId: string, version: number, notes: VersionNotes): Promise<void>;
  /** Withdraws a version, so that nobody can import it any more. The newest other version becomes current. */
  yankVersion(assetId: string, version: number, reason?: string): Promise<void>;
  unyankVersion(assetId: string, version: number): Promise<void>;
  /** Stops notices about newer versions of the copied work. `version` is the copy's version; with null, the notices come again. */
  pin(copyId: string, version: number | null): Promise<void>;
  /** Stops notices about this and all earlier versions of the listing that the copy was made from. */
  dismissUpdate(copyId: string, version: number): Promise<void>;
  /** Restores the edits that the last update of a copy overwrote. Possible for 30 days. */
  restoreCopy(copyId: string): Promise<RestoredCopy>;
  /** Deletes a listing; a tombstone stays. */
  deleteListing(assetId: string): Promise<void>;
  /**
   * Returns the decisions of moderation about the caller's listings and account, the newest first, at most 200, with the caller's appeals.
   */
  decisions(): Promise<Decisions>;
  /**
   * Appeals against the decision that is in force on a listing; with null, against the caller's ban. Each decision can be appealed against
   * once. `body` has at most 2,000 characters.
   */
  appeal(assetId: string | null, body: string): Promise<void>;
  /** Returns a user's profile; null if there is no profile or the caller may not see it. */
  profile(userId: string): Promise<Profile | null>;
  /** Changes the caller's own profile and returns it; null for anybody else's profile. */
  editProfile(userId: string, change: ProfileChange): Promise<Profile | null>;
}

export function actingOf({ read, rows, run }: HubCalls): Acting {
  async function userOf(username: string): Promise<string> {
    const [row] = await rows<{ user_id: string }[]>({
      ...{ table: "hub_profiles", method: "select", columns: "user_id", where: { username } },
    });
    if (row) return row.user_id;
    const refusal = { code: "PT404", message: "user_not_found" };
    throw new HubError(await problemFrom(refusal, 404), refusal);
  }

  return {
    star: (asset_id) => rows({ table: "hub_stars", method: "upsert", row: { asset_id } }).then(nothing),
    unstar: (asset_id) => rows({ table: "hub_stars", method: "delete", where: { asset_id } }).then(nothing),
    starred: async (asset_id) => {
      const where = { asset_id };
      const found = await rows<{ asset_id: string }[]>({
        ...{ table: "hub_stars", method: "select", columns: "asset_id", where },
      });
      return found.map((row) => row.asset_id);
    },
    follow: async (username) => {
      const creator_id = await userOf(username);
      return rows({ table: "hub_follows", method: "upsert", row: { creator_id } }).then(nothing);
    },
    unfollow: async (username) => {
      const creator_id = await userOf(username);
      return rows({ table: "hub_follows", method: "delete", where: { creator_id } }).then(nothing);
    },
    followed: async () => {
      const found = await rows<{ hub_profiles: { username: string } | null }[]>({
        ...{ table: "hub_follows", method: "select", columns: "hub_profiles(username)" },
        order: { column: "followed_at", ascending: false },
      });
      // The caller cannot read the profile of a banned creator, so banned creators are left out.
      return found.flatMap(({ hub_profiles }) => hub_profiles?.username ?? []);
    },
    report: (asset_id: string, reason: ReportReason, details?: string, { url, holder }: Work = {}) =>
      rows({
        table: "hub_reports",
        method: "insert",
        row: { asset_id, reason, details, work_url: url, work_holder: holder },
      }).then(nothing),
    ownListings: (creator_id) =>
      rows({
        ...{ table: "hub_assets", method: "select", columns: OWN_COLUMNS, where: { creator_id } },
        // The table also has rows of copies that were never published.
        atLeast: { current_version: 1 },
        order: { column: "published_at", ascending: false },
      }),
    ownCopies: (creator_id, assetId) =>
      rows({
        ...{ table: "hub_assets", method: "select", columns: "asset_type,ref_id" },
        where: { creator_id, "attribution->parent->>id": assetId },
        order: { column: "created_at", ascending: false },
      }),
    ownRecords: (creator_id, ref_id) =>
      rows({
        ...{ table: "hub_assets", method: "select", columns: RECORD_COLUMNS },
        where: { creator_id, ref_id },
        order: { column: "created_at", ascending: false },
      }),
    editListing: async (id, { title, description, tags, thumbnail_url }) => {
      const row = { title, description, tags, thumbnail_url };
      const where = { id };
      const changed = await rows<unknown[]>({
        ...{ table: "hub_assets", method: "update", columns: "id", where, row },
      });
      return changed.length > 0;
    },
    unpublish: (asset_id) => run("hub_unpublish_asset", { asset_id }),
    republish: (asset_id) => run("hub_republish_asset", { asset_id }),
    editVersion: (asset_id, version, { label, changelog }) =>
      run("hub_edit_version", { asset_id, version, label, changelog }),
    yankVersion: (asset_id, version, reason) => run("hub_yank_version", { asset_id, version, reason }),
    unyankVersion: (asset_id, version) => run("hub_unyank_version", { asset_id, version }),
    pin: (asset_id, version) => run("hub_pin", { asset_id, version }),
    dismissUpdate: (asset_id, version) => run("hub_dismiss_update", { asset_id, version }),
    restoreCopy: (asset_id) => run("hub_restore_copy", { asset_id }),
    deleteListing: (asset_id) => run("hub_delete_asset", { asset_id }),
    decisions: () => read("hub_my_decisions"),
    appeal: (asset_id, body) => run("hub_appeal", { asset_id, body }),
    profile: async (user_id) => {
      const where = { user_id };
      const found = await rows<Profile[]>({
        ...{ table: "hub_profiles", method: "select", columns: PROFILE_COLUMNS, where },
      });
      return found[0] ?? null;
    },
    editProfile: async (user_id, { username, display_name, avatar_url }) => {
      const row = { username, display_name, avatar_url };
      const where = { user_id };
      const changed = await rows<Profile[]>({
        ...{ table: "hub_profiles", method: "update", columns: PROFILE_COLUMNS, where, row },
      });
      return changed[0] ?? null;
    },
  };
}

const nothing = () => undefined;
