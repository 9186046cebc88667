import type { AssetType } from "@keyhub/hub/source";
import { Icon } from "../parts/icon.tsx";
import { type CopyOrigin, pathOfOrigin } from "./store/store.ts";

/**
 * Shows what an item was made from. The link's page also explains when the original is gone; for an item of a kit it redirects to the right
 * type.
 */
export function OriginBadge({ origin, type }: { origin: CopyOrigin | null; type: AssetType }) {
  if (!origin) return null;
  return (
    <span class="badge origin">
      <Icon name="remix" /> from <bdi>{origin.title}</bdi>
      {origin.slug !== null && (
        <>
          {" · "}
          <a href={pathOfOrigin(origin, { asset_type: type, slug: origin.slug })}>original</a>
        </>
      )}
    </span>
  );
}
