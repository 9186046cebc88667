import type { OrganizationQueue, ReportReason } from "@keyhub/hub/source";
import { useCallback, useEffect, useState } from "preact/hooks";
import { say } from "../../browser/message.ts";
import { showFailure } from "../../browser/show-failure.ts";
import { sharedPath, TYPE_NAMES } from "../../data/addresses.ts";
import { counted, time } from "../../parts/format.ts";
import { FailureNote } from "../failure-note.tsx";
import { type ShownFailure, shownFailureOf } from "../failure-text.ts";
import { Skeleton } from "../skeleton.tsx";
import { OrganizationPage, type Scene } from "./organization.tsx";

/** Shows the listings of the shelf that members have reported or that are hidden; owners and admins decide about them. */
export default function Reported({ slug }: { slug: string }) {
  return (
    <OrganizationPage slug={slug} at="reported">
      {(scene) => <Queue key={scene.organization.id} {...scene} />}
    </OrganizationPage>
  );
}

type Decide = (assetId: string, keep: boolean, note: string) => Promise<void>;

function Queue({ member: { hub }, organization: { id, slug } }: Scene) {
  const [queue, setQueue] = useState<OrganizationQueue | null>(null);
  const [failure, setFailure] = useState<ShownFailure | null>(null);

  const load = useCallback(async () => {
    setFailure(null);
    try {
      setQueue(await hub.organizations.reviewQueue(id));
    } catch (error) {
      setFailure(await shownFailureOf(error));
    }
  }, [hub, id]);
  useEffect(() => void load(), [load]);

  const decide: Decide = async (assetId, keep, note) => {
    try {
      await hub.organizations.review(assetId, keep, note.trim() || undefined);
      say(keep ? "It stays on the shelf." : "It is hidden.");
    } catch (error) {
      await showFailure(error, () => void decide(assetId, keep, note));
    }
    await load();
  };

  if (failure) return <FailureNote failure={failure} onRetry={load} />;
  if (!queue) return <Skeleton />;
  return (
    <>
      {queue.length === 0 && <p class="quiet">Nothing is reported or hidden.</p>}
      {queue.map((entry) => (
        <Entry key={entry.asset_id} entry={entry} slug={slug} decide={decide} />
      ))}
    </>
  );
}

const REASONS: Record<ReportReason, string> = {
  spam: "spam",
  inappropriate: "inappropriate content",
  copyright: "copyright violation",
  malicious_code: "malicious code",
  other: "something else",
};

/** Texts by `hidden_reason`. Owners and admins may restore listings with these reasons. Only the hub's admins may restore all others. */
const HIDDEN: Record<string, string> = {
  organization: "hidden by an owner or admin",
  organization_reports: "hidden by reports of members",
};

interface EntryProps {
  entry: OrganizationQueue[number];
  /** The short name of the organization. */
  slug: string;
  decide: Decide;
}

function Entry({ entry, slug, decide }: EntryProps) {
  const [note, setNote] = useState("");
  const { asset_id, asset_type, title, creator, is_hidden, hidden_reason, open_reports, reports } = entry;
  const isTheirs = !is_hidden || (hidden_reason ?? "") in HIDDEN;
  return (
    <article class="review" aria-label={title}>
      <h2 dir="auto">
        <a href={sharedPath(slug, { slug: entry.slug, id: asset_id })}>{title}</a>
      </h2>
      <p class="quiet">
        {TYPE_NAMES[asset_type].one} by {creator ? `@${creator.username}` : "a deleted account"} ·{" "}
        {is_hidden ? (HIDDEN[hidden_reason ?? ""] ?? "hidden by the hub") : "on the shelf"} ·{" "}
        {counted(open_reports, "open report")}
      </p>
      <ul class="reports">
        {reports.map((report, place) => (
          // The hub sends neither an id nor the reporter of a report, so the key is the report's place in the list, with its time.
          <li key={`${place} ${report.created_at}`}>
            <p dir="auto">
              <strong>{REASONS[report.reason]}</strong>{" "}
              <span class="quiet">
                version {report.version}, <time dateTime={report.created_at}>{time(report.created_at)}</time>
              </span>
              {report.details && (
                <>
                  <br />
                  {report.details}
                </>
              )}
            </p>
          </li>
        ))}
      </ul>
      {isTheirs ? (
        <>
          <label class="field">
            <span>A note for its creator, if you hide it (you can leave it empty)</span>
            <textarea
              rows={2}
              maxLength={1000}
              dir="auto"
              value={note}
              onInput={({ currentTarget }) => setNote(currentTarget.value)}
            />
          </label>
          <p class="row">
            <button
              type="button"
              aria-label={`${is_hidden ? "Show again" : "Keep"}: ${title}`}
              onClick={() => void decide(asset_id, true, note)}
            >
              {is_hidden ? "Show again" : "Keep"}
            </button>
            {hidden_reason !== "organization" && (
              <button
                type="button"
                aria-label={`Hide: ${title}`}
                onClick={() => void decide(asset_id, false, note)}
              >
                Hide
              </button>
            )}
          </p>
        </>
      ) : (
        <p class="quiet">The admins of the hub have hidden it. Only they decide about it.</p>
      )}
    </article>
  );
}
