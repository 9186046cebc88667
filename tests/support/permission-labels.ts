import { assetTypes, sourceTable } from "./hub.ts";

/** A row of a table, labelled as docs/reference/permissions.md does. */
export interface Labelled {
  key: string;
  visible: boolean;
  owner: string | null;
  tombstone: boolean;
}

/** Returns a query that labels each row of a table as docs/reference/permissions.md does: visible, owner, tombstone. */
const ofUser = (table: string, key: string, owner = "user_id") =>
  `select ${key} as key, false as visible, ${owner} as owner, false as tombstone from ${table}`;
const ofAsset = (table: string, key: string, visible: string) =>
  `select ${key} as key, ${visible} as visible, a.creator_id as owner, a.deleted_at is not null as tombstone
   from ${table} t join hub_assets a on a.id = t.asset_id`;
/** The labels of the rows of each table, and the SQL of their key. */
export const labels: Record<string, { key: string; query: string }> = {
  hub_assets: {
    key: "id::text",
    query:
      "select id::text as key, is_visible as visible, creator_id as owner, deleted_at is not null as tombstone from hub_assets",
  },
  hub_asset_versions: versioned("hub_asset_versions", "concat(asset_id, ' ', version)"),
  hub_bundle_items: versioned("hub_bundle_items", "concat(asset_id, ' ', version, ' ', position)"),
  hub_receipts: {
    key: "concat(asset_id, ' ', version)",
    query: ofAsset("hub_receipts", "concat(t.asset_id, ' ', t.version)", "false"),
  },
  hub_pictures: { key: "asset_id::text", query: ofAsset("hub_pictures", "t.asset_id::text", "a.is_visible") },
  hub_featured: { key: "asset_id::text", query: ofAsset("hub_featured", "t.asset_id::text", "a.is_visible") },
  hub_listings: {
    key: "id::text",
    query:
      "select id::text as key, true as visible, creator_id as owner, false as tombstone from hub_assets where is_visible",
  },
  "private.hub_documents": {
    key: "asset_id::text",
    query: ofAsset("private.hub_documents", "t.asset_id::text", "false"),
  },
  "private.hub_listing_tags": {
    key: "asset_id::text",
    query: ofAsset("private.hub_listing_tags", "t.asset_id::text", "false"),
  },
  "private.hub_copies": {
    key: "asset_id::text",
    query: ofAsset("private.hub_copies", "t.asset_id::text", "false"),
  },
  "private.hub_overwritten": {
    key: "asset_id::text",
    query: ofAsset("private.hub_overwritten", "t.asset_id::text", "false"),
  },
  "private.hub_words": { key: "word", query: ofNobody("private.hub_words", "word") },
  "private.hub_snapshots": { key: "name", query: ofNobody("private.hub_snapshots", "name") },
  hub_profiles: {
    key: "user_id::text",
    query: `select user_id::text as key, not exists (select from private.hub_bans b where b.user_id = p.user_id) as visible,
      user_id as owner, false as tombstone from hub_profiles p`,
  },
  hub_settings: { key: "contact_url", query: ofNobody("hub_settings", "contact_url") },
  hub_appeals: { key: "id::text", query: ofUser("hub_appeals", "id::text") },
  hub_events: {
    key: "id::text",
    query:
      "select id::text as key, false as visible, null::uuid as owner, false as tombstone from hub_events",
  },
  "private.hub_moderation": {
    key: "asset_id::text",
    query: ofAsset("private.hub_moderation", "t.asset_id::text", "false"),
  },
};
for (const table of ["hub_imports", "hub_purchases", ...assetTypes.map(sourceTable)]) {
  labels[table] = { key: "id::text", query: ofUser(table, "id::text") };
}
labels.hub_stars = {
  key: "concat(asset_id, ' ', user_id)",
  query: ofUser("hub_stars", "concat(asset_id, ' ', user_id)"),
};
labels["private.orders"] = { key: "id::text", query: ofUser("private.orders", "id::text", "buyer_id") };
labels["private.payment_events"] = { key: "event_id", query: ofNobody("private.payment_events", "event_id") };
labels["private.ledger"] = { key: "id::text", query: ofNobody("private.ledger", "id::text") };
labels["private.hub_former_names"] = {
  key: "name_key",
  query: ofUser("private.hub_former_names", "name_key"),
};
for (const table of ["organizations", "private.organization_invitations"])
  labels[table] = { key: "id::text", query: ofNobody(table, "id::text") };
labels["private.shelf_documents"] = {
  key: "asset_id::text",
  query: ofNobody("private.shelf_documents", "asset_id::text"),
};
labels.organization_members = {
  key: "concat(organization_id, ' ', user_id)",
  query: ofNobody("organization_members", "concat(organization_id, ' ', user_id)"),
};
labels.hub_follows = {
  key: "concat(user_id, ' ', creator_id)",
  query: ofUser("hub_follows", "concat(user_id, ' ', creator_id)"),
};
labels["private.hub_allowed_content"] = {
  key: "concat(user_id, ' ', asset_id)",
  query: ofUser("private.hub_allowed_content", "concat(user_id, ' ', asset_id)"),
};
for (const table of [
  "hub_admins",
  "hub_payout_accounts",
  "private.hub_bans",
  "private.hub_creators",
  "private.workspace_usage",
]) {
  labels[table] = { key: "user_id::text", query: ofUser(table, "user_id::text") };
}
labels["private.hub_idempotent_responses"] = {
  key: "concat(user_id, ' ', idempotency_key)",
  query: ofUser("private.hub_idempotent_responses", "concat(user_id, ' ', idempotency_key)"),
};
labels["private.hub_calls"] = { key: "id::text", query: ofUser("private.hub_calls", "id::text") };
labels["private.hub_scan_tokens"] = {
  key: "concat(user_id, ' ', content_sha256)",
  query: ofUser("private.hub_scan_tokens", "concat(user_id, ' ', content_sha256)"),
};
labels.hub_reports = { key: "id::text", query: ofUser("hub_reports", "id::text", "reporter_id") };

function ofNobody(table: string, key: string) {
  return `select ${key} as key, false as visible, null::uuid as owner, false as tombstone from ${table}`;
}

function versioned(table: string, key: string) {
  return {
    key,
    query: ofAsset(
      table,
      key.replace("asset_id", "t.asset_id").replace("version", "t.version"),
      `a.is_visible and not exists (
        select from hub_asset_versions v where v.asset_id = t.asset_id and v.version = t.version and v.license = 'paid'
      ) and (t.version = a.current_version or exists (
        select from hub_asset_versions v
        where v.asset_id = t.asset_id and v.version = t.version and v.is_open and v.yanked_at is null))`,
    ),
  };
}
