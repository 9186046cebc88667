import type { Parsed } from "../faults.ts";
import type { Redaction } from "../redact/index.ts";
import { type AssetType, snapshot } from "./assets.ts";
import { relink } from "./bundle.ts";
import { contentHash } from "./canonical.ts";
import { type Archive, writeArchive } from "./export-file.ts";
import type { License } from "./license.ts";
import { type Attribution, type Claimed, type NamedAttribution, withCreators } from "./lineage.ts";
import { redactPublication } from "./publication.ts";

/** An item of the user's workspace: its source row, and two values of its row in hub_assets, if it has one. */
export interface ItemToExport {
  asset_type: AssetType;
  row: Readonly<Record<string, unknown>>;
  /** The license that the item came with or that its owner chose; absent means `platform-free`. */
  license?: License;
  /** The `attribution` of the item's row in hub_assets. */
  attribution?: Attribution | null;
}

/**
 * Exports an item of the user as a file, with the rows that it links to as `items`. Runs in the client, with or without an account. Secrets
 * are redacted, and `redactions` lists their places. If something still looks like a secret, the result is a fault with its path and no
 * file. `creators` are the user names of the authors in attributions, by id. `author` is the user name of the exporter. If it is given, the
 * attributions in the file also claim the exporter as an author of the asset and of each item.
 */
export async function exportItem(
  main: ItemToExport,
  items: readonly ItemToExport[] = [],
  creators: Readonly<Record<string, string>> = {},
  author: string | null = null,
): Promise<Parsed<{ document: Archive; redactions: Redaction[] }>> {
  const embedded = items.map(({ asset_type, row }) => ({ asset_type, ref_id: text(row.id) }));
  const payloadOf = ({ asset_type, row }: ItemToExport) => {
    const payload = snapshot(asset_type, row);
    return asset_type === "orchestration" ? relink(payload, embedded) : payload;
  };
  const { publication, redactions, residualSecrets, exceeded } = await redactPublication({
    title: text(main.row.name),
    description: text(main.row.description),
    tags: Array.isArray(main.row.tags) ? main.row.tags.map(text) : [],
    thumbnail_url: null,
    payload: payloadOf(main),
    items: items.map((item, i) => ({
      asset_type: item.asset_type,
      ref_id: embedded[i]?.ref_id ?? "",
      title: text(item.row.name),
      payload: payloadOf(item),
    })),
  });
  if (exceeded !== null) return { ok: false, faults: [exceeded] };
  if (residualSecrets.length > 0) {
    const message = "looks like a secret";
    return { ok: false, faults: residualSecrets.map((path) => ({ path, code: "secret_detected", message })) };
  }
  const about = (item: ItemToExport, title: string) => {
    const license = item.license ?? "platform-free";
    const known = item.attribution ? withCreators(item.attribution, creators) : null;
    return {
      license,
      attribution: author === null ? known : signed(known, { title, creator: author, license }),
    };
  };
  const { payload } = publication;
  const written = writeArchive({
    ...{ asset_type: main.asset_type, title: publication.title, tags: publication.tags, payload },
    description: publication.description || null,
    items: await Promise.all(
      publication.items.map(async (item, i) => ({
        ...item,
        ...about(items[i] ?? main, item.title),
        sha256: await contentHash(item.payload),
      })),
    ),
    ...about(main, publication.title),
    sha256: await contentHash(payload),
  });
  return written.ok ? { ok: true, value: { document: written.value, redactions } } : written;
}

/** Adds the exporter's claim `own` to an attribution. If the attribution has a claim already, `own` comes last in the claim's `via`. */
function signed(known: NamedAttribution | null, own: Claimed): NamedAttribution {
  const before = known?.claimed;
  return { ...known, claimed: before === undefined ? own : { ...before, via: [...(before.via ?? []), own] } };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
