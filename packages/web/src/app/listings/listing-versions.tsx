import type { Hub, OwnListing, Versions } from "@keyhub/hub/source";
import { useCallback, useEffect, useState } from "preact/hooks";
import { date } from "../../parts/format.ts";
import { FailureNote } from "../failure-note.tsx";
import { type ShownFailure, shownFailureOf } from "../failure-text.ts";
import { Skeleton } from "../skeleton.tsx";

interface Props {
  listing: OwnListing;
  hub: Hub;
  act: (done: string, work: (hub: Hub) => Promise<unknown>) => Promise<boolean>;
}

/** Shows the versions of a listing to its creator, who can edit each version's name and changelog, and withdraw a version. */
export function ListingVersions({ listing, hub, act }: Props) {
  const [versions, setVersions] = useState<Versions | null>(null);
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  const load = useCallback(async () => {
    setFailure(null);
    try {
      setVersions(await hub.versions(listing.id));
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }, [hub, listing.id]);
  useEffect(() => void load(), [load]);
  const change = async (done: string, work: (hub: Hub) => Promise<unknown>) => {
    if (await act(done, work)) await load();
  };
  if (failure) return <FailureNote failure={failure} onRetry={load} />;
  if (versions === null) return <Skeleton />;
  const usable = versions.filter(({ yanked }) => !yanked).length;
  return (
    <ol class="history" reversed>
      {versions.map((one) => (
        <li key={one.version} value={one.version}>
          <form
            class="stack"
            onSubmit={(event) => {
              event.preventDefault();
              const form = new FormData(event.currentTarget as HTMLFormElement);
              const notes = { label: String(form.get("label")), changelog: String(form.get("changelog")) };
              void change("Saved.", (hub) => hub.editVersion(listing.id, one.version, notes));
            }}
          >
            <h3>
              Version {one.version} <span class="quiet">of {date(one.published_at)}</span>
              {one.version === listing.current_version && <span class="tag">current</span>}
              {one.yanked && <span class="tag warn">withdrawn</span>}
            </h3>
            <label class="field">
              <span>Name of the version</span>
              <input name="label" defaultValue={one.label ?? ""} maxLength={32} dir="auto" />
            </label>
            <label class="field">
              <span>What changed</span>
              <textarea
                name="changelog"
                defaultValue={one.changelog ?? ""}
                maxLength={4000}
                rows={2}
                dir="auto"
              />
            </label>
            <p class="row">
              <button type="submit">Save</button>
              {one.yanked ? (
                <button
                  type="button"
                  onClick={() =>
                    void change(`Version ${one.version} can be imported again.`, (hub) =>
                      hub.unyankVersion(listing.id, one.version),
                    )
                  }
                >
                  Take back the withdrawal
                </button>
              ) : (
                usable > 1 && (
                  <button
                    type="button"
                    onClick={() => {
                      const reason = prompt(
                        `Withdraw version ${one.version}? Nobody can import it any more, and only people who have a copy can read it. You can say why:`,
                      );
                      if (reason === null) return;
                      void change(`Version ${one.version} is withdrawn.`, (hub) =>
                        hub.yankVersion(listing.id, one.version, reason.trim() || undefined),
                      );
                    }}
                  >
                    Withdraw
                  </button>
                )
              )}
            </p>
          </form>
        </li>
      ))}
    </ol>
  );
}
