import { createHash, randomUUID } from "node:crypto";
import type postgres from "postgres";
import {
  ASSET_TYPES,
  ASSETS,
  type AssetType,
  isCopyable,
  type PlannedRow,
  planListing,
  type StoredAsset,
} from "../../packages/core/src/hub/index.ts";
import { type Actor, attempt } from "./actors.ts";
import { asAuth } from "./auth.ts";
import { makeUser } from "./keys.ts";
import { until } from "./until.ts";

export type { AssetType };
export { makeUser };
export const assetTypes: readonly AssetType[] = ASSET_TYPES;

/** Returns the source table of a type. */
export function sourceTable(type: AssetType): string {
  return ASSETS[type].table;
}

/** Adds a row to a user's workspace; returns its id. */
export async function addSource(
  sql: postgres.Sql,
  userId: string,
  type: AssetType = "template",
): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    insert into ${sql(sourceTable(type))} (user_id, name) values (${userId}, 'An item') returning id`;
  return row?.id ?? "";
}

export interface Snapshot {
  type?: AssetType;
  refId?: string;
  slug?: string;
  title?: string;
  description?: string;
  tags?: string[];
  license?: string;
  payload?: Record<string, unknown>;
  items?: Record<string, unknown>[];
  redactions?: { path: string; rule: string }[];
  label?: string;
  changelog?: string;
  /** The slug of the organization with which the listing is shared. */
  organization?: string;
  price?: number;
  teaser?: string;
}

export interface Published {
  asset_id: string;
  slug: string;
  version: number;
  created: boolean;
}

/** Publishes a snapshot without secrets, like hub-publish. Without `refId`, first adds the source to the user's workspace. */
export async function publish(
  sql: postgres.Sql,
  userId: string,
  what: Snapshot = {},
): Promise<Published & { refId: string }> {
  const type = what.type ?? "template";
  const refId = what.refId ?? (await addSource(sql, userId, type));
  const payload = what.payload ?? { content: "Say hello to {{name}}" };
  const title = what.title ?? "A greeting";
  const [row] = await sql<{ answer: Published }[]>`
    select private.publish_snapshot(
      user_id => ${userId}, asset_type => ${type}, ref_id => ${refId}, slug => ${what.slug ?? "a-greeting"},
      title => ${title}, description => ${what.description ?? "Greets people."},
      tags => ${what.tags ?? ["greeting"]}, license => ${what.license ?? "platform-free"},
      payload => ${sql.json(payload as never)}, sha256 => ${sha256(payload)},
      redactions => ${sql.json((what.redactions ?? []) as never)}, items => ${sql.json((what.items ?? []) as never)},
      label => ${what.label ?? null}, changelog => ${what.changelog ?? null}, organization => ${what.organization ?? null},
      price_cents => ${what.price ?? null}, teaser => ${what.teaser ?? null}
    ) as answer`;
  if (row === undefined) throw new Error("no row came back");
  return { ...row.answer, refId };
}

export function sha256(payload: unknown): string {
  return createHash("sha256").update(JSON.stringify(payload)).digest("hex");
}

/** Makes a public listing of a new creator or of the given creator. */
export async function makeAsset(
  sql: postgres.Sql,
  what: Snapshot & { creator?: string } = {},
): Promise<{ id: string; creator: string; refId: string; slug: string }> {
  const creator = what.creator ?? (await makeUser(sql));
  const { asset_id, refId, slug } = await publish(sql, creator, what);
  return { id: asset_id, creator, refId, slug };
}

/** Imports like hub-import: core makes the rows, and SQL writes them. Returns the ids of the main row and of its row in hub_assets. */
export async function importAsset(
  sql: postgres.Sql,
  userId: string,
  assetId: string,
  mode: "use" | "remix" = "use",
): Promise<{ refId: string; id: string }> {
  const created = await runImport(sql, userId, await planImport(sql, assetId), mode);
  return { refId: created[0]?.id ?? "", id: created[0]?.hub_asset_id ?? "" };
}

export interface ImportPlan {
  asset: StoredAsset;
  rows: PlannedRow[];
}

/** Reads the current version of a listing as the operator. Returns the rows that core makes from it. */
export async function planImport(sql: postgres.Sql, assetId: string): Promise<ImportPlan> {
  const [row] = await sql<{ asset: StoredAsset }[]>`select hub_asset(${assetId}) as asset`;
  if (row === undefined || !isCopyable(row.asset)) throw new Error("no such version");
  return { asset: row.asset, rows: planListing(row.asset, randomUUID) };
}

/** Runs the SQL of hub-import with the rows that `planImport` returned. Returns the new rows. */
export async function runImport(
  sql: postgres.ISql,
  userId: string,
  { asset, rows }: ImportPlan,
  mode: "use" | "remix" = "use",
): Promise<{ id: string; hub_asset_id: string; title: string }[]> {
  const [row] = await sql`
    select private.import_asset(
      user_id => ${userId}, rows => ${sql.json(rows as never)}, mode => ${mode},
      asset_id => ${asset.id}, version => ${asset.version}, sha256 => ${asset.sha256}
    ) -> 'created' as created`;
  return row?.created;
}

export const star = (who: Actor, assetId: string) =>
  attempt(who, (tx) => tx`insert into hub_stars (asset_id) values (${assetId}) on conflict do nothing`);

export const unstar = (who: Actor, assetId: string) =>
  attempt(who, (tx) => tx`delete from hub_stars where asset_id = ${assetId}`);

export const reportAsset = (who: Actor, assetId: string, reason = "spam", details: string | null = null) =>
  attempt(
    who,
    (tx) => tx`
      insert into hub_reports (asset_id, reason, details) values (${assetId}, ${reason}, ${details}) returning id`,
  );

/** Calls an RPC with its arguments in order. */
export const call = (who: Actor, name: string, ...args: (string | null)[]) =>
  attempt(who, (tx) => tx`select ${tx.unsafe(`public.${name}`)}(${listOf(tx, args)})`);

function listOf(tx: postgres.TransactionSql, args: (string | null)[]) {
  return args.flatMap((arg, i) => (i === 0 ? [tx`${arg}`] : [tx`, ${arg}`])) as never;
}

/** Makes an admin of the hub. */
export async function makeAdmin(sql: postgres.Sql): Promise<string> {
  const id = await makeUser(sql);
  await sql`insert into hub_admins (user_id) values (${id})`;
  return id;
}

/** Makes several users at once. */
export async function makeUsers(sql: postgres.Sql, count: number): Promise<string[]> {
  const rows = await asAuth(sql)<{ id: string }[]>`
    insert into auth.users (id, email)
    select id, id || '@example.test' from (select gen_random_uuid() as id from generate_series(1, ${count}::int)) u
    returning id`;
  return rows.map(({ id }) => id);
}

export interface Row {
  is_public: boolean;
  is_hidden: boolean;
  hidden_by_ban: boolean;
  is_visible: boolean;
  hidden_reason: string | null;
  deleted_at: Date | null;
  published_at: Date | null;
  star_count: number;
  install_count: number;
  current_version: number;
  organization_id: string | null;
  shared_at: Date | null;
  is_shared: boolean;
  pinned_version: number | null;
  updated_at: Date;
  slug: string;
  creator_id: string | null;
  source_asset_id: string | null;
  parent_asset_id: string | null;
  remix_depth: number;
  attribution: unknown;
}

/** Returns the row of hub_assets with all columns, as an operator sees it. */
export async function assetRow(sql: postgres.Sql, id: string): Promise<Row> {
  const [row] = await sql<Row[]>`select * from hub_assets where id = ${id}`;
  if (row === undefined) throw new Error(`no asset ${id}`);
  return row;
}

/** Returns the state of an asset in the words of docs/reference/states.md; "none" if hub_assets has no row of it. */
export async function stateOf(sql: postgres.Sql, id: string): Promise<string> {
  const [row] = await sql<Row[]>`select * from hub_assets where id = ${id}`;
  if (row === undefined) return "none";
  const base =
    row.hidden_reason === "removed"
      ? "removed"
      : row.deleted_at !== null
        ? "deleted"
        : row.is_public
          ? "public"
          : row.shared_at !== null
            ? "shared"
            : row.current_version > 0
              ? "unpublished"
              : "private";
  const marks = [row.is_hidden && base !== "removed" && "hidden", row.hidden_by_ban && "banned"];
  return [base, ...marks.filter(Boolean)].join(" ");
}

/** Returns every counter that differs from the number of rows that it counts. */
export async function wrongCounters(sql: postgres.Sql): Promise<postgres.Row[]> {
  return [...(await sql`select * from hub_check_counters()`)];
}

/**
 * The number of counted reports that hides a listing: `threshold` in supabase/schemas/hub/26_report_counts.sql. It must be at least 4,
 * because some tests report three times and expect the listing to stay visible.
 */
export const REPORT_THRESHOLD = 5;

/** Adds `count` reports by new users. */
export async function reportByNewUsers(
  db: { sql: postgres.Sql },
  assetId: string,
  count: number,
  as: (db: { sql: postgres.Sql }, userId: string) => Actor,
): Promise<string[]> {
  const users = await makeUsers(db.sql, count);
  for (const user of users) {
    const outcome = await reportAsset(as(db, user), assetId);
    if ("refused" in outcome) throw new Error(`report refused: ${outcome.refused}`);
  }
  return users;
}

/** Sets `is_open` to false for all versions of a listing. Versions from before the hub showed older versions to readers have this value. */
export async function closeHistory(sql: postgres.Sql, assetId: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update hub_asset_versions set is_open = false where asset_id = ${assetId}`;
  });
}

/** Resolves when at least `count` statements that contain `words` wait for a lock. */
export async function untilWaiting(sql: postgres.Sql, words: string, count = 1): Promise<void> {
  await until(async () => {
    const rows = await sql`
      select from pg_stat_activity
      where wait_event_type = 'Lock' and query like ${`%${words}%`} and datname = current_database()`;
    return rows.length >= count;
  });
}
