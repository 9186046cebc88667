import type { AssetType, CardList, OpenAppeals, ReportOutcome, ReviewQueue } from "./answers.ts";
import type { HubCalls } from "./calls.ts";

/** An entry of the audit log: an action on a listing or an account, and the user who did it. */
export interface HubEvent {
  id: number;
  at: string;
  /** Null for operators and the system. */
  actor_id: string | null;
  action: string;
  asset_id: string | null;
  user_id: string | null;
  note: string | null;
}

/** The titles and user names for the ids in entries of the audit log. Deleted listings and users are missing. */
export interface EventNames {
  /** Listings by id. */
  listings: Map<string, NamedListing>;
  /** User names by id. */
  users: Map<string, string>;
}

export interface NamedListing {
  id: string;
  slug: string;
  asset_type: AssetType;
  title: string;
  /** Whether the listing is visible; only visible listings have a page. */
  is_visible: boolean;
}

/**
 * Calls for admins; other callers get permission_denied. A note is only for the audit log.
 * The creator reads the public note in decisions(). Each note has at most 1,000 characters.
 */
export interface Moderation {
  /** Returns whether the caller is an admin. This is the only call here that every member may make. */
  isAdmin(): Promise<boolean>;
  /** Returns listings that are hidden or have open reports, at most 500. */
  reviewQueue(): Promise<ReviewQueue>;
  /** Returns the newest entries of the audit log. Callers who are not admins get no entries. */
  events(limit?: number): Promise<HubEvent[]>;
  /** Returns titles and user names for entries of the log, for at most 50 entries at once, because the ids are sent in an address. */
  eventNames(events: readonly HubEvent[]): Promise<EventNames>;
  hide(assetId: string, note: string, publicNote?: string): Promise<void>;
  /** Restores a hidden listing and dismisses its open reports. */
  restore(assetId: string, note?: string): Promise<void>;
  /** Deletes the content of a hidden listing for good; a tombstone stays. */
  remove(assetId: string, note?: string, publicNote?: string): Promise<void>;
  resolveReport(reportId: string, outcome: ReportOutcome, note?: string, publicNote?: string): Promise<void>;
  ban(userId: string, reason?: string, publicNote?: string): Promise<void>;
  unban(userId: string): Promise<void>;
  /** Returns the open appeals, each with its decision, the oldest first, at most 500. */
  openAppeals(): Promise<OpenAppeals>;
  /** Answers an appeal with at most 2,000 characters. Accepting it restores the listing or ends the ban. */
  resolveAppeal(appealId: string, accept: boolean, answer?: string): Promise<void>;
  /** Adds a listing to the curated collection, at the end or at the given place. */
  feature(assetId: string, place?: number): Promise<void>;
  unfeature(assetId: string): Promise<void>;
  /** Puts the collection in this order: removes each listing from the first changed place on, and appends it again. */
  arrangeFeatured(assetIds: readonly string[]): Promise<void>;
}

export function moderationOf({ read, rows, run }: HubCalls): Moderation {
  return {
    // A caller sees at most their own row of this table, so any row means that the caller is an admin.
    isAdmin: async () =>
      (await rows<unknown[]>({ table: "hub_admins", method: "select", columns: "user_id" })).length > 0,
    reviewQueue: () => read("hub_review_queue"),
    events: (limit = 50) =>
      rows({
        ...{ table: "hub_events", method: "select", columns: "id,at,actor_id,action,asset_id,user_id,note" },
        order: { column: "id", ascending: false },
        limit,
      }),
    eventNames: async (events) => {
      const id = distinct(events.map(({ asset_id }) => asset_id));
      const user_id = distinct(events.flatMap((event) => [event.user_id, event.actor_id]));
      const [listings, users] = await Promise.all([
        rows<NamedListing[]>({
          ...{ table: "hub_assets", method: "select", columns: "id,slug,asset_type,title,is_visible" },
          where: { id },
        }),
        rows<{ user_id: string; username: string }[]>({
          ...{ table: "hub_profiles", method: "select", columns: "user_id,username", where: { user_id } },
        }),
      ]);
      return {
        listings: new Map(listings.map((one) => [one.id, one])),
        users: new Map(users.map((one) => [one.user_id, one.username])),
      };
    },
    hide: (asset_id, note, public_note) => run("hub_hide_asset", { asset_id, note, public_note }),
    restore: (asset_id, note) => run("hub_restore_asset", { asset_id, note }),
    remove: (asset_id, note, public_note) => run("hub_remove_asset", { asset_id, note, public_note }),
    resolveReport: (report_id, outcome, note, public_note) =>
      run("hub_resolve_report", { report_id, outcome, note, public_note }),
    ban: (user_id, reason, public_note) => run("hub_ban_creator", { user_id, reason, public_note }),
    unban: (user_id) => run("hub_unban_creator", { user_id }),
    openAppeals: () => read("hub_open_appeals"),
    resolveAppeal: (id, accept, answer) => run("hub_resolve_appeal", { id, accept, answer }),
    feature: (asset_id, place) => run("hub_feature_asset", { asset_id, place }),
    unfeature: (asset_id) => run("hub_unfeature_asset", { asset_id }),
    arrangeFeatured: async (assetIds) => {
      const { items } = await read<CardList>("hub_featured_assets");
      const first = assetIds.findIndex((id, i) => items[i]?.id !== id);
      if (first < 0) return;
      for (const asset_id of assetIds.slice(first)) {
        await run("hub_unfeature_asset", { asset_id });
        await run("hub_feature_asset", { asset_id });
      }
    },
  };
}

function distinct(ids: (string | null)[]): string[] {
  return [...new Set(ids.filter((id) => id !== null))];
}
