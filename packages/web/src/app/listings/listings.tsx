import type { Hub, OwnListing, OwnOrganizations, Decisions as Taken } from "@keyhub/hub/source";
import { useCallback, useEffect, useState } from "preact/hooks";
import { say } from "../../browser/message.ts";
import { showFailure } from "../../browser/show-failure.ts";
import { assetPath, sharedPath, TYPE_NAMES } from "../../data/addresses.ts";
import { counted } from "../../parts/format.ts";
import { FailureNote } from "../failure-note.tsx";
import { PageError, type ShownFailure, shownFailureOf } from "../failure-text.ts";
import { PictureField } from "../picture-field.tsx";
import { Skeleton } from "../skeleton.tsx";
import { useViewer } from "../use-viewer.ts";
import { ForMembers, WorkspaceNav } from "../workspace-nav.tsx";
import { Decisions } from "./decisions.tsx";
import { ListingVersions } from "./listing-versions.tsx";

/** Shows the caller's listings, to edit, unpublish, publish again or delete them, or to make a new version. */
export default function Listings() {
  const viewer = useViewer();
  const [listings, setListings] = useState<OwnListing[] | null>(null);
  const [organizations, setOrganizations] = useState<OwnOrganizations>([]);
  const [decisions, setDecisions] = useState<Taken>([]);
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  const member = viewer?.member;

  const load = useCallback(async () => {
    if (!member) return;
    setFailure(null);
    try {
      const [own, taken, mine] = await Promise.all([
        member.hub.ownListings(member.id),
        member.hub.decisions(),
        member.hub.organizations.mine(),
      ]);
      setOrganizations(mine);
      setDecisions(taken);
      setListings(own);
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }, [member]);
  useEffect(() => void load(), [load]);

  /** Runs an action; returns whether it succeeded. */
  async function act(done: string, work: (hub: Hub) => Promise<unknown>): Promise<boolean> {
    if (!member) return false;
    try {
      if ((await work(member.hub)) === false) throw new PageError("This listing is not yours any more.");
      say(done);
      await load();
      return true;
    } catch (error) {
      await showFailure(error, () => void act(done, work));
      return false;
    }
  }

  return (
    <>
      <WorkspaceNav at="listings" />
      {viewer && !member ? (
        <ForMembers title="Your listings" back="/workspace/listings" />
      ) : (
        <>
          <h1>My listings</h1>
          <FailureNote failure={failure} onRetry={load} />
          {!listings && !failure && <Skeleton />}
          <Decisions decisions={decisions} act={act} />
          {listings?.length === 0 && (
            <p class="quiet">
              Nothing yet. <a href="/workspace">Share an item of your workspace</a>.
            </p>
          )}
          {listings !== null && listings.length > 0 && (
            <p class="quiet">
              Edit changes title, description, tags and picture at once. For a new version, change the item
              and share it again: the address and the stars stay.
            </p>
          )}
          {listings?.map((listing) => (
            <Entry
              key={listing.id}
              listing={listing}
              organization={organizations.find(({ id }) => id === listing.organization_id)}
              hub={member?.hub}
              act={act}
              reload={load}
            />
          ))}
        </>
      )}
    </>
  );
}

interface EntryProps {
  listing: OwnListing;
  /**
   * The organization in which the listing is shared or was shared last. Undefined for a listing for everybody, and when the caller is
   * no longer a member of the organization.
   */
  organization?: OwnOrganizations[number] | undefined;
  hub?: Hub | undefined;
  act: (done: string, work: (hub: Hub) => Promise<unknown>) => Promise<boolean>;
}

function Entry({ listing, organization, hub, act, reload }: EntryProps & { reload: () => void }) {
  const [editing, setEditing] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const { id, title, asset_type, is_public, is_shared, is_hidden, hidden_by_ban, organization_id } = listing;
  const visible = is_public && !is_hidden && !hidden_by_ban;
  const path = visible ? assetPath(listing) : organization && sharedPath(organization.slug, listing);
  // `is_shared` is false for a hidden listing, but its creator can still take it off the shelf.
  const isOut = is_public || is_shared || (organization_id !== null && (is_hidden || hidden_by_ban));
  return (
    <article class="review" aria-label={title}>
      <h2 dir="auto">{path ? <a href={path}>{title}</a> : title}</h2>
      <p class="quiet">
        {TYPE_NAMES[asset_type].one} · version {listing.current_version} ·{" "}
        {stateOf(listing, organization?.name)} · {counted(listing.star_count, "star")} ·{" "}
        {counted(listing.install_count, "install")}
      </p>
      {editing && <EditForm listing={listing} act={act} onDone={() => setEditing(false)} />}
      {editing && hub && <PictureField listing={listing} hub={hub} onStored={reload} />}
      {isOpen && hub && <ListingVersions listing={listing} hub={hub} act={act} />}
      <p class="row">
        <button type="button" aria-expanded={editing} onClick={() => setEditing(!editing)}>
          {editing ? "Cancel" : "Edit"}
        </button>
        <a class="button" href={`/workspace/${asset_type}/${listing.ref_id}`}>
          New version
        </a>
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Versions
        </button>
        {isOut && (
          <button
            type="button"
            onClick={() =>
              void act(organization_id === null ? "Taken off the hub." : "Taken off the shelf.", (hub) =>
                hub.unpublish(id),
              )
            }
          >
            {organization_id === null ? "Unpublish" : "Take off the shelf"}
          </button>
        )}
        {!isOut && organization_id === null && (
          <button type="button" onClick={() => void act("Published again.", (hub) => hub.republish(id))}>
            Publish again
          </button>
        )}
        {!isOut && organization && (
          <button
            type="button"
            onClick={() => void act(`Shared in ${organization.name} again.`, (hub) => hub.republish(id))}
          >
            Share again
          </button>
        )}
        <button
          type="button"
          onClick={() => {
            if (
              confirm(
                `Delete the listing “${title}”? Its versions and stars are deleted. Copies and remixes stay.`,
              )
            )
              void act("The listing is deleted.", (hub) => hub.deleteListing(id));
          }}
        >
          Delete
        </button>
      </p>
    </article>
  );
}

/** Returns a text about who can see the listing, or why nobody can. */
function stateOf(listing: OwnListing, organization: string | undefined): string {
  const { is_public, is_shared, is_hidden, hidden_by_ban, hidden_reason, organization_id } = listing;
  if (hidden_by_ban) return "hidden, because your account is banned";
  if (is_hidden)
    return `hidden by moderation (${HIDDEN[hidden_reason ?? ""] ?? hidden_reason?.replaceAll("_", " ") ?? "under review"})`;
  if (organization_id !== null) {
    const place = organization ?? "an organization that you have left";
    return is_shared ? `shared in ${place}` : `private: off the shelf of ${place}`;
  }
  return is_public ? "everybody" : "private: taken off the hub by you";
}

const HIDDEN: Record<string, string> = {
  organization: "by your organization",
  organization_reports: "reports of members",
};

function EditForm({ listing, act, onDone }: EntryProps & { onDone: () => void }) {
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const picture = String(form.get("thumbnail_url")).trim();
    const change = {
      title: String(form.get("title")),
      description: String(form.get("description")),
      tags: String(form.get("tags"))
        .split(/[\s,]+/)
        .filter(Boolean),
      ...{ thumbnail_url: picture === "" ? null : picture },
    };
    if (await act("Saved.", (hub) => hub.editListing(listing.id, change))) onDone();
  };
  return (
    <form class="stack" onSubmit={submit}>
      <label class="field">
        <span>Title</span>
        <input name="title" defaultValue={listing.title} required maxLength={120} dir="auto" />
      </label>
      <label class="field">
        <span>Description: what it does, and for whom</span>
        <textarea
          name="description"
          defaultValue={listing.description ?? ""}
          required
          maxLength={2000}
          rows={3}
          dir="auto"
        />
      </label>
      <label class="field">
        <span>Tags</span>
        <input name="tags" defaultValue={listing.tags.join(" ")} dir="auto" />
      </label>
      <label class="field">
        <span>Picture elsewhere (an https address), for a listing without one of its own</span>
        <input name="thumbnail_url" type="url" defaultValue={listing.thumbnail_url ?? ""} />
      </label>
      <p>
        <button class="primary" type="submit">
          Save
        </button>
      </p>
    </form>
  );
}
