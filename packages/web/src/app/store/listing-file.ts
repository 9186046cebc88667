import { archiveOf, isCopyable, type StoredAsset, writeArchive } from "@keyhub/core/hub";
import type { Asset } from "@keyhub/hub/source";

/** Returns a listing as a file of Keyhub, as a guest would import it; null if the caller cannot read its content or no file can be made. */
export function fileOf(asset: Asset): { filename: string; text: string } | null {
  const stored = asset as StoredAsset;
  const written = isCopyable(stored) ? writeArchive(archiveOf(stored)) : null;
  if (!written?.ok) return null;
  return { filename: `${asset.slug}.json`, text: JSON.stringify(written.value, null, 2) };
}
