import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import {
  isCopyable,
  type PlannedRow,
  planListing,
  type StoredAsset,
} from "../../packages/core/src/hub/index.ts";
import type { AssetType, ImportPlan } from "./hub.ts";
import { addSource, publish, sha256 } from "./hub.ts";

export interface Made {
  asset_type: AssetType;
  id: string;
  hub_asset_id: string;
  title: string;
}

/**
 * Returns the rows that core makes from a version of a listing. With `into`, the id of a copy, they have the ids of that copy's rows, so
 * that they replace these.
 */
export async function planUpdate(
  sql: postgres.ISql,
  user: string,
  assetId: string,
  { into, version }: { into?: string; version?: number } = {},
): Promise<ImportPlan> {
  const [row] = await sql<
    { asset: StoredAsset }[]
  >`select hub_asset(${assetId}, ${version ?? null}) as asset`;
  if (row === undefined || !isCopyable(row.asset)) throw new Error("no such version");
  const rows = into === undefined ? [] : await rowsOf(sql, user, into);
  const rowOf = (part: { asset_type: string; ref_id: string | null }) =>
    rows.find(({ asset_type, ref_id }) => asset_type === part.asset_type && ref_id === part.ref_id)?.id;
  return { asset: row.asset, rows: planListing(row.asset, randomUUID, rowOf) };
}

async function rowsOf(sql: postgres.ISql, user: string, into: string) {
  const [row] = await sql<{ copy: { rows: { asset_type: string; ref_id: string | null; id: string }[] } }[]>`
    select hub_copy(${user}, ${into}) as copy`;
  return row?.copy.rows ?? [];
}

export interface UpdateOptions {
  into?: string;
  version?: number;
  overwrite?: boolean;
  dryRun?: boolean;
}

/** Runs the SQL of hub-import with the rows that `planUpdate` returned. Returns the rows as hub-import returns them in `created`. */
export async function runUpdate(
  sql: postgres.ISql,
  user: string,
  { asset, rows }: { asset: StoredAsset; rows: PlannedRow[] },
  { into, version, overwrite = false, dryRun = false }: UpdateOptions = {},
): Promise<Made[]> {
  const [row] = await sql<{ created: Made[] }[]>`
    select private.import_asset(
      user_id => ${user}, rows => ${sql.json(rows as never)}, mode => 'use', asset_id => ${asset.id},
      version => ${asset.version}, sha256 => ${asset.sha256}, pinned => ${version !== undefined},
      into_copy => ${into ?? null}, overwrite => ${overwrite}, dry_run => ${dryRun}
    ) -> 'created' as created`;
  return row?.created ?? [];
}

/** Imports a version, or updates the copy `into`, like hub-import: core makes the rows, and the RPC writes them. */
export const copy = async (sql: postgres.ISql, user: string, assetId: string, options: UpdateOptions = {}) =>
  runUpdate(sql, user, await planUpdate(sql, user, assetId, options), options);

/**
 * Adds a row to a user's workspace. Returns its id; `item`, which is the row as an item of a kit; and `of`, a function that returns this
 * item with other content.
 */
export async function kitItem(sql: postgres.Sql, creator: string, content: string) {
  const refId = await addSource(sql, creator);
  const of = (text: string) => ({
    ...{ asset_type: "template", ref_id: refId, title: "Item", license: "cc0" },
    ...{ payload: { content: text }, sha256: sha256({ content: text }) },
  });
  return { refId, of, item: of(content) };
}

/** Publishes the next version of a template, with this content. */
export const nextVersion = (sql: postgres.Sql, creator: string, refId: string, content: string) =>
  publish(sql, creator, { refId, payload: { content } });
