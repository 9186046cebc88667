import { archiveOf, isCopyable, type StoredAsset, writeArchive } from "@keyhub/core/hub";
import type { Asset } from "@keyhub/hub/source";

/** Returns a listing as a file of Keyhub, equal to the import of a guest; null when it cannot be written. */
export function fileOf(asset: Asset): { filename: string; text: string } | null {
  const stored = asset as StoredAsset;
  const written = isCopyable(stored) ? writeArchive(archiveOf(stored)) : null;
  if (!written?.ok) return null;
  return { filename: `${asset.slug}.json`, text: JSON.stringify(written.value, null, 2) };
}
