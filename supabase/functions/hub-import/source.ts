import {
  type Archive,
  type Copyable,
  holdsVersion,
  type ImportRequest,
  isCopyable,
  type StoredAsset,
  versionOf,
} from "@keyhub/core/hub";
import { problem } from "@keyhub/core/problem";
import type { Refusal } from "../_shared/http.ts";
import type { HubDatabase } from "../_shared/hub-database.ts";
import type { User } from "../_shared/user.ts";

/** The thing that is copied: a version of a listing, or the assets of a file of unknown origin. */
export type ImportSource = { listing: Copyable } | { documents: readonly Archive[] };

export function findSource(
  database: HubDatabase,
  user: User,
  asked: ImportRequest,
  documents: readonly Archive[],
): Promise<ImportSource | Refusal> {
  if ("listing" in asked) return findListing(database, user.token, asked);
  const [document, second] = documents;
  return document && !second ? findOrigin(database, user, document) : Promise.resolve({ documents });
}

/** Returns the requested version of a listing, read with the caller's rights. */
export async function findListing(
  database: HubDatabase,
  token: string | null,
  { listing, version }: { listing: string; version: number | null },
): Promise<{ listing: Copyable } | Refusal> {
  if (!/^[a-z0-9-]{1,80}$/.test(listing)) return { problem: problem("asset_not_found") };
  const read = await database.callRpcAs(token, "hub_asset", { id_or_slug: listing, version });
  if ("problem" in read) return read;
  const asset = read.data as StoredAsset & { deleted: boolean };
  if (asset.deleted) return { problem: problem("gone", { asset }) };
  if (asset.license === "paid" && !isCopyable(asset)) return { problem: problem("purchase_required") };
  return isCopyable(asset) ? { listing: asset } : { problem: problem("not_published") };
}

/**
 * Returns the stored version that a file was exported from, or the file itself when that cannot be verified. The version is read with the
 * service's rights, because a user may not read every old version. This is safe: the file must contain exactly that version, and the caller
 * must see its listing.
 */
async function findOrigin(
  database: HubDatabase,
  user: User,
  document: Archive,
): Promise<ImportSource | Refusal> {
  const claimed = versionOf(document);
  if (claimed === null) return { documents: [document] };
  const { id, version } = claimed;
  const read = await database.callRpc("hub_asset", { id_or_slug: id, version });
  if ("problem" in read) return read.problem.code === "asset_not_found" ? { documents: [document] } : read;
  const asset = read.data as StoredAsset & { deleted: boolean };
  if (asset.deleted || !isCopyable(asset)) return { documents: [document] };
  // A version on an organization's shelf is used only if the caller may read it there.
  if (asset.version_organization_id !== null) {
    const seen = await findListing(database, user.token, { listing: id, version });
    if ("problem" in seen) return { documents: [document] };
  } else if (!asset.is_visible && asset.creator_id !== user.id) return { documents: [document] };
  return (await holdsVersion(document, asset)) ? { listing: asset } : { documents: [document] };
}
