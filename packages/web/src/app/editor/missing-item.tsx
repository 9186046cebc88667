import type { OwnListing } from "@keyhub/hub/source";
import { useEffect, useState } from "preact/hooks";
import { showFailure } from "../../browser/show-failure.ts";
import { Skeleton } from "../skeleton.tsx";
import type { Viewer } from "../use-viewer.ts";

/** Shows that an item does not exist. If a listing was published from the item, the page offers what the owner can still do. */
export function MissingItem({ viewer, id }: { viewer: Viewer | null; id: string }) {
  const [listing, setListing] = useState<OwnListing | null | undefined>();
  const member = viewer?.member;
  useEffect(() => {
    if (!viewer) return;
    if (!member) return setListing(null);
    member.hub.ownListings(member.id).then(
      (own) => setListing(own.find(({ ref_id }) => ref_id === id) ?? null),
      () => setListing(null),
    );
  }, [viewer, member, id]);

  const [key] = useState(() => crypto.randomUUID());
  /** Copies the listing. Every call sends the same idempotency key, so pressing the button several times makes one copy. */
  async function copy(from: OwnListing): Promise<void> {
    try {
      const answer = await member?.hub.importAsset(from.id, { idempotencyKey: key });
      if (answer?.stored === "cloud")
        location.assign(`/workspace/${from.asset_type}/${answer.created[0]?.id}`);
    } catch (error) {
      await showFailure(error, () => void copy(from));
    }
  }

  if (listing === undefined) return <Skeleton />;
  if (listing === null) {
    return (
      <div class="empty">
        <h1>This item is not in your workspace</h1>
        <p>It was deleted, or it belongs to another account.</p>
        <a class="button" href="/workspace">
          To the workspace
        </a>
      </div>
    );
  }
  const visible = listing.is_public && !listing.is_hidden && !listing.hidden_by_ban;
  return (
    <div class="empty">
      <h1>
        “<bdi>{listing.title}</bdi>” cannot get a new version
      </h1>
      <p>
        The item that it was published from was deleted from your workspace, and new versions need that item.
        The listing itself stays as it is: you can still edit its texts, unpublish it or delete it.
      </p>
      {visible && (
        <p>
          To go on with it, take a copy of the listing. What you publish from the copy is a listing of its own
          that names this one as its origin; stars and installs stay here.
        </p>
      )}
      <p class="row middle">
        {visible && (
          <button class="primary" type="button" onClick={() => void copy(listing)}>
            Copy it into the workspace
          </button>
        )}
        <a class="button" href="/workspace/listings">
          To my listings
        </a>
      </p>
    </div>
  );
}
