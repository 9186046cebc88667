import type { AssetType, Payload } from "./assets.ts";
import type { Archive, ArchiveAttribution, ArchiveItem } from "./export-file.ts";
import { hashesOf } from "./export-file.ts";
import type { License } from "./license.ts";
import { type Attribution, inherit, inheritItem, type Origin, withCreators } from "./lineage.ts";

/** A version of a listing as `hub_asset` returns it, with only the members that a copy needs. */
export interface StoredAsset {
  id: string;
  slug: string;
  asset_type: AssetType;
  title: string;
  description: string | null;
  tags: string[];
  license?: License;
  teaser?: string | null;
  creator: { username: string } | null;
  creator_id: string | null;
  remix_depth: number;
  is_visible: boolean;
  lineage: Attribution | null;
  attribution: ShownAttribution | null;
  current_version: number;
  version: number | null;
  /** The organization whose members alone may read this version; null if the version is not limited to an organization. */
  version_organization_id: string | null;
  version_license: License | null;
  payload: Payload | null;
  sha256: string | null;
  scan: unknown;
  items: StoredItem[];
}

export interface StoredItem {
  asset_type: AssetType;
  ref_id: string;
  title: string;
  payload: Payload;
  sha256: string;
  license: License;
  lineage: Attribution | null;
  attribution: ShownAttribution | null;
}

/** An attribution with the creators' current names. */
export interface ShownAttribution {
  root?: ShownOrigin | null;
  parent?: ShownOrigin | null;
  via?: ShownOrigin[];
}

interface ShownOrigin {
  creator: { username: string } | null;
}

/** A stored asset that has a version to copy. */
export type Copyable = StoredAsset & {
  version: number;
  payload: Payload;
  sha256: string;
  version_license: License;
};

export function isCopyable(asset: StoredAsset): asset is Copyable {
  return asset.version !== null && asset.payload !== null;
}

/** Returns the version of a listing as the origin of a copy. */
export function originOf(asset: Copyable, license: License = asset.version_license): Origin {
  const { id, title, slug, creator_id, version, remix_depth, version_organization_id: readers } = asset;
  return {
    ...{ id, title, slug, creator_id, license, version, remix_depth },
    ...(readers !== null && { organization_id: readers }),
  };
}

/** Returns the attribution of a copy of an asset. */
export function lineageOfCopy(asset: Copyable): Attribution {
  return inherit(originOf(asset), asset.lineage);
}

/**
 * Returns the attribution of a copy of a kit's item. The kit is named with the license of the item, because only that license binds the
 * copied item.
 */
export function lineageOfItem(kit: Copyable, item: StoredItem): Attribution {
  return inheritItem(originOf(kit, item.license), item.lineage);
}

/** Returns the attribution of a copy of an asset with the creators' names, as files and answers show it. */
export function attributionOf(asset: Copyable): ArchiveAttribution {
  return withCreators(lineageOfCopy(asset), creatorsOf(asset));
}

/** Returns the attributions of copies of the asset's items, with the creators' names. */
export function itemAttributionsOf(asset: Copyable): ArchiveAttribution[] {
  const creators = creatorsOf(asset);
  return asset.items.map((item) => withCreators(lineageOfItem(asset, item), creators));
}

/** Returns the file of a listing's version, as a guest's import returns it. */
export function archiveOf(asset: Copyable): Omit<Archive, "format" | "format_version"> {
  const attributions = itemAttributionsOf(asset);
  return {
    asset_type: asset.asset_type,
    title: asset.title,
    description: asset.description,
    tags: asset.tags,
    license: asset.version_license,
    payload: asset.payload,
    items: asset.items.map(
      ({ asset_type, ref_id, title, payload, sha256, license }, n): ArchiveItem => ({
        ...{ asset_type, ref_id, title, payload, license, sha256 },
        attribution: attributions[n] ?? null,
      }),
    ),
    attribution: attributionOf(asset),
    sha256: asset.sha256,
  };
}

/** Returns the version that a file names as its origin. */
export function versionOf({ attribution }: Archive): { id: string; version: number } | null {
  const parent = attribution?.parent;
  return parent === undefined ? null : { id: parent.id, version: parent.version };
}

/** Returns whether a file has the same content as the given version of the listing, item by item. Hashes in the file are not trusted. */
export async function holdsVersion(document: Archive, asset: Copyable): Promise<boolean> {
  const { payload, items } = await hashesOf(document);
  return (
    document.asset_type === asset.asset_type &&
    payload === asset.sha256 &&
    items.length === asset.items.length &&
    asset.items.every((item, i) => {
      const own = document.items[i];
      return item.asset_type === own?.asset_type && item.ref_id === own.ref_id && item.sha256 === items[i];
    })
  );
}

/** Returns the names of all authors that an asset and its items name, by id. */
function creatorsOf(asset: Copyable): Record<string, string> {
  const creators: Record<string, string> = {};
  const add = (origin: Pick<Origin, "creator_id"> | undefined, shown: ShownOrigin | null | undefined) => {
    const { creator_id: id = null } = origin ?? {};
    if (id !== null && shown?.creator) creators[id] = shown.creator.username;
  };
  add(asset, asset);
  for (const { lineage, attribution } of [asset, ...asset.items]) {
    add(lineage?.root, attribution?.root);
    add(lineage?.parent, attribution?.parent);
    for (const [n, origin] of (lineage?.via ?? []).entries()) add(origin, attribution?.via?.[n]);
  }
  return creators;
}
