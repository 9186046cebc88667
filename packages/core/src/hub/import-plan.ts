import { redact } from "../redact/index.ts";
import { ASSETS, type AssetType, columnsOf, type Payload } from "./assets.ts";
import { repoint } from "./bundle.ts";
import type { Archive, ArchiveAttribution } from "./export-file.ts";
import type { License } from "./license.ts";
import type { Attribution, Claim, Claimed, NamedOrigin } from "./lineage.ts";
import { type Copyable, lineageOfCopy, lineageOfItem } from "./stored-asset.ts";

/** A row that the import will make in the importer's workspace, and the values of its private row in hub_assets. */
export interface PlannedRow {
  asset_type: AssetType;
  table: string;
  id: string;
  title: string;
  description: string | null;
  tags: string[];
  license: License;
  attribution: Attribution | null;
  columns: Payload;
}

/** A part of a copy: the asset itself, or an item. The asset's links name an item by its `ref_id`. For the asset, `ref_id` is null. */
interface Part {
  asset_type: AssetType;
  ref_id: string | null;
  title: string;
  description: string | null;
  tags: string[];
  license: License;
  attribution: Attribution | null;
  payload: Payload;
}

/** Returns the id of the workspace row that a part replaces, if any. `ref_id` is the id of the item in the kit; null means the listing. */
export type RowOf = (part: { asset_type: AssetType; ref_id: string | null }) => string | undefined;

/** Plans the rows that an import of this version makes, the listing first. A part gets the id of the row that it replaces, or `uuid()`. */
export function planListing(
  asset: Copyable,
  uuid: () => string,
  rowOf: RowOf = () => undefined,
): PlannedRow[] {
  const main: Part = {
    ...{ asset_type: asset.asset_type, title: asset.title, description: asset.description, tags: asset.tags },
    ...{ ref_id: null, license: asset.version_license, payload: asset.payload },
    attribution: lineageOfCopy(asset),
  };
  const items = asset.items.map(
    (item): Part => ({
      ...{ ...item, description: null, tags: [] },
      attribution: lineageOfItem(asset, item),
    }),
  );
  return plan([main, ...items], uuid, rowOf);
}

/** Plans the rows of a file whose origin cannot be verified. Its attribution is kept as text (a claim). */
export function planDocument(document: Archive, uuid: () => string): PlannedRow[] {
  const parts = document.items.map(
    (item): Part => ({ ...item, description: null, tags: [], attribution: claimOf(item.attribution) }),
  );
  return plan([{ ...document, ref_id: null, attribution: claimOf(document.attribution) }, ...parts], uuid);
}

/** Turns the unverified attribution of a file into a claim. Every work stays named. */
export function claimOf(attribution: ArchiveAttribution | null): Attribution | null {
  const { root, parent = root, via = [], claimed } = attribution ?? {};
  if (parent === undefined) return claimed === undefined ? null : { claimed: harmless(claimed) };
  const textOf = ({ title, creator, license }: NamedOrigin): Claimed => ({ title, creator, license });
  const before = claimed === undefined ? [] : [claimed, claimed.root ?? [], claimed.via ?? []].flat();
  const further = [
    ...via.map(textOf),
    ...before.map(({ title, creator, license }) => ({ title, creator, license })),
  ];
  return {
    claimed: harmless({
      ...textOf(parent),
      ...(root !== undefined && root.id !== parent.id && { root: textOf(root) }),
      ...(further.length > 0 && { via: further }),
    }),
  };
}

/** Removes secrets and invisible characters from a claim, because every copy shows the claim and nobody can edit it. */
function harmless(claim: Claim): Claim {
  const seen = (text: string) => text.replace(/[\p{Cc}\p{Cf}]/gu, "").trim() || "?";
  const textOf = <T extends Claimed>(said: T): T => {
    const { title, creator } = redact({
      title: seen(said.title),
      creator: said.creator && seen(said.creator),
    }).value as { title: string; creator: string | null };
    return { ...said, title, creator };
  };
  const { root, via } = claim;
  return { ...textOf(claim), ...(root && { root: textOf(root) }), ...(via && { via: via.map(textOf) }) };
}

function plan(parts: Part[], uuid: () => string, rowOf: RowOf = () => undefined): PlannedRow[] {
  const placed = parts.map((part) => ({ ...part, id: rowOf(part) ?? uuid() }));
  const moved = placed.flatMap(({ asset_type, ref_id, id }) =>
    ref_id === null ? [] : [{ asset_type, ref_id, id }],
  );
  return placed.map(
    ({ asset_type, id, title, description, tags, license, attribution, payload }): PlannedRow => ({
      ...{ asset_type, table: ASSETS[asset_type].table, id, title, description, tags, license, attribution },
      columns: columnsOf(asset_type, asset_type === "orchestration" ? repoint(payload, moved) : payload),
    }),
  );
}
