import type { AssetType } from "@keyhub/hub/source";
import { useCallback, useEffect, useState } from "preact/hooks";
import { showFailure } from "../browser/show-failure.ts";
import { assetPath, sharedPath, TYPE_NAMES } from "../data/addresses.ts";
import { FailureNote } from "./failure-note.tsx";
import { type ShownFailure, shownFailureOf } from "./failure-text.ts";
import { Skeleton } from "./skeleton.tsx";
import { useViewer } from "./use-viewer.ts";
import { ForMembers, WorkspaceNav } from "./workspace-nav.tsx";

/** The largest number of ids in one request, because the length of an address is limited. */
const AT_ONCE = 100;

/** A starred listing: a public one, or one that an organization of the caller shares. */
interface Starred {
  id: string;
  slug: string;
  asset_type: AssetType;
  title: string;
  organization_id?: string;
}

/** Shows the listings that the caller has starred and can still see. */
export default function Stars() {
  const viewer = useViewer();
  const [listings, setListings] = useState<Starred[] | null>(null);
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  const hub = viewer?.member?.hub;

  const load = useCallback(async () => {
    if (!hub) return;
    setFailure(null);
    try {
      const ids = await hub.starred();
      const parts = Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, i) => {
        const some = ids.slice(i * AT_ONCE, (i + 1) * AT_ONCE);
        return [hub.listings({ ids: some, limit: AT_ONCE }), hub.organizations.shared(some)];
      });
      setListings((await Promise.all(parts.flat())).flat());
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }, [hub]);
  useEffect(() => void load(), [load]);

  /** Removes the star: the listing disappears at once, and returns to its place when the hub refuses. */
  async function unstar(listing: Starred): Promise<void> {
    const place = listings?.indexOf(listing) ?? 0;
    setListings((now) => now?.filter(({ id }) => id !== listing.id) ?? null);
    try {
      await hub?.unstar(listing.id);
    } catch (error) {
      // Other listings may have been removed meanwhile, so insert only this one again.
      setListings((now) => now && [...now.slice(0, place), listing, ...now.slice(place)]);
      await showFailure(error, () => void unstar(listing));
    }
  }

  return (
    <>
      <WorkspaceNav at="stars" />
      {viewer && !hub ? (
        <ForMembers title="Your stars" back="/workspace/stars" />
      ) : (
        <>
          <h1>Starred</h1>
          <FailureNote failure={failure} onRetry={load} />
          {!listings && !failure && <Skeleton />}
          {listings?.length === 0 && (
            <p class="quiet">
              Nothing yet. <a href="/hub">Look around on the hub</a> and star what you want to find again.
            </p>
          )}
          <ul class="shelf">
            {listings?.map((listing) => (
              <li key={listing.id} class={listing.asset_type}>
                <span>
                  <a href={pathOf(listing)} dir="auto">
                    {listing.title}
                  </a>{" "}
                  <span class="quiet">
                    {TYPE_NAMES[listing.asset_type].one}
                    {listing.organization_id && ", shared in an organization"}
                  </span>
                </span>
                <button
                  type="button"
                  aria-label={`Unstar ${listing.title}`}
                  onClick={() => void unstar(listing)}
                >
                  Unstar
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function pathOf(listing: Starred): string {
  return listing.organization_id ? sharedPath(listing.organization_id, listing) : assetPath(listing);
}
