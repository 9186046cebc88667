import type { AssetType } from "@keyhub/hub/source";
import { Icon } from "../parts/icon.tsx";
import { type CopyOrigin, pathOfOrigin } from "./store/store.ts";

/**
 * Shows the work that an item was made from, with a link. If the work is gone, the linked page explains that. For an item of a kit, the
 * link may name the wrong type. Then the linked page redirects to the right address.
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
