import { archiveOf, isCopyable, type StoredAsset, writeArchive } from "@keyhub/core/hub";
import type { Asset } from "@keyhub/hub/source";

/** Returns a listing as a file of Keyhub, with the document that a guest would import; null when it may not or cannot be copied. */
export function fileOf(asset: Asset): { filename: string; text: string } | null {
  const stored = asset as StoredAsset;
  const written = isCopyable(stored) ? writeArchive(archiveOf(stored)) : null;
  if (!written?.ok) return null;
  return { filename: `${asset.slug}.json`, text: JSON.stringify(written.value, null, 2) };
}
