import { useEffect, useState } from "preact/hooks";
import type { ListingRow } from "../../../hub/src/index.ts";
import { say } from "../browser/message.ts";
import { assetPath, TYPE_NAMES } from "../data/addresses.ts";
import { words } from "./problem-words.ts";
import { Skeleton } from "./skeleton.tsx";
import { useViewer } from "./use-viewer.ts";
import { ForMembers, WorkspaceNav } from "./workspace-nav.tsx";

/** Ids in one request: an address has a limit. */
const AT_ONCE = 100;

/** What the caller has starred and can still see. */
export default function Stars() {
  const viewer = useViewer();
  const [listings, setListings] = useState<ListingRow[] | null>(null);
  const [problem, setProblem] = useState("");
  const hub = viewer?.member?.hub;

  useEffect(() => {
    if (!hub) return;
    const load = async () => {
      const ids = await hub.starred();
      const parts = Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, i) =>
        hub.listings({ ids: ids.slice(i * AT_ONCE, (i + 1) * AT_ONCE), limit: AT_ONCE }),
      );
      setListings((await Promise.all(parts)).flat());
    };
    load().catch(async (error) => setProblem(await words(error)));
  }, [hub]);

  /** Gone at once, and back in its place when the hub refuses it. */
  async function unstar(listing: ListingRow): Promise<void> {
    const before = listings ?? [];
    setListings(before.filter(({ id }) => id !== listing.id));
    try {
      await hub?.unstar(listing.id);
    } catch (error) {
      setListings(before);
      say(await words(error));
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
          {problem && (
            <p class="problem" role="alert">
              {problem}
            </p>
          )}
          {!listings && !problem && <Skeleton />}
          {listings?.length === 0 && (
            <p class="quiet">
              Nothing yet. <a href="/hub">Look around on the hub</a> and star what you want to find again.
            </p>
          )}
          <ul class="shelf">
            {listings?.map((listing) => (
              <li key={listing.id} class={listing.asset_type}>
                <span>
                  <a href={assetPath(listing)} dir="auto">
                    {listing.title}
                  </a>{" "}
                  <span class="quiet">{TYPE_NAMES[listing.asset_type].one}</span>
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
